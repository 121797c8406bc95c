// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

/**
 * Compressed queries, keys and values (multi-head latent attention). A query or key head has {@code plainSize} elements
 * without RoPE, then {@code rotarySize} elements with it; all heads share the rotary part of the key.
 *
 * @param queryRank    0: queries are not compressed.
 * @param keyValueRank at least 1.
 * @param plainSize    at least 1.
 * @param rotarySize   even, at least 2.
 * @param valueSize    elements of a value head, at least 1.
 * @param interleaved  whether RoPE pairs elements 2i and 2i + 1; the result is half-split.
 */
public record LatentAttention(
    int queryRank, int keyValueRank, int plainSize, int rotarySize, int valueSize, boolean interleaved)
{
    /** The norms of compressed queries, keys and values use this value; the configuration has no say in it. */
    public static final double NORM_EPSILON = 1e-6;

    public LatentAttention
    {
        if (queryRank < 0 || keyValueRank < 1 || plainSize < 1 || rotarySize < 2 || rotarySize % 2 != 0 || valueSize < 1 ||
            queryRank > DecoderPlan.MAX_WIDTH || keyValueRank > DecoderPlan.MAX_WIDTH ||
            valueSize > AttentionPlan.MAX_HEAD_SIZE)
        {
            throw new ModelException("latent attention with query rank " + queryRank + ", key-value rank " + keyValueRank +
                ", head sizes " + plainSize + " + " + rotarySize + " and " + valueSize + " is impossible",
                "give ranks and sizes of at least 1 and an even rotary size");
        }
    }
}
