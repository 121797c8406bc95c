// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.util.Locale;

/**
 * Memory that a model needs on the heap, known before any of it is allocated.
 *
 * @param weightBytes of all weights, as a backend loads them.
 * @param kvBytes     keys and values of all ranks, as float32, with the headers of their arrays.
 * @param stepBytes   buffers of the largest step of each rank.
 */
public record ModelMemory(long weightBytes, long kvBytes, long stepBytes)
{
    /** Room for the garbage collector: 1/8. */
    private static final int HEADROOM_SHARE = 8;
    /** Of an array, and how its size is rounded; a reference to it may have as much. */
    private static final int HEADER_BYTES = 16;
    private static final int REFERENCE_BYTES = 8;
    private static final double MIB = 1L << 20;
    private static final double GIB = 1L << 30;

    /**
     * Memory of a model whose weights are all of its type.
     *
     * @param ranks           each with its own keys, values and buffers.
     * @param kvBlocks        of each rank.
     * @param blockSizeTokens of a block.
     * @param stepTokens      most tokens of a step.
     * @param sampled         most tokens that a step samples.
     * @throws ModelException if they are more bytes than a long counts.
     */
    public static ModelMemory of(
        final DecoderPlan plan, final int ranks, final int kvBlocks, final int blockSizeTokens, final int stepTokens,
        final int sampled)
    {
        final long blockBytes = kvBlockBytes(plan, blockSizeTokens);
        final long blocks = (long)ranks * kvBlocks;
        if (blocks > Long.MAX_VALUE / 8 / blockBytes)
        {
            throw new ModelException("keys and values of " + blocks + " KV blocks with " + blockSizeTokens +
                " tokens are more than any memory holds", "give fewer KV blocks");
        }
        final long step = new StepBuffers(plan, stepTokens, sampled, (long)kvBlocks * blockSizeTokens).bytes();
        if (step > Long.MAX_VALUE / 8 / ranks)
        {
            throw new ModelException("the buffers of a step of " + stepTokens + " tokens are more than any memory holds",
                "give fewer tokens per step");
        }
        return new ModelMemory(plan.parameters() * plan.type().bytes(), blocks * blockBytes, ranks * step);
    }

    /** The same, with so many bytes of weights. */
    public ModelMemory withWeights(final long bytes)
    {
        return new ModelMemory(bytes, kvBytes, stepBytes);
    }

    /** Keys and values of one KV block in all layers: two arrays for each, with their headers. */
    public static long kvBlockBytes(final DecoderPlan plan, final int blockSizeTokens)
    {
        return plan.layers() * (arrayBytes((long)blockSizeTokens * plan.attention().keyWidth()) +
            arrayBytes((long)blockSizeTokens * plan.attention().valueWidth()));
    }

    private static long arrayBytes(final long floats)
    {
        return REFERENCE_BYTES + (HEADER_BYTES + floats * Float.BYTES + REFERENCE_BYTES - 1) / REFERENCE_BYTES *
            REFERENCE_BYTES;
    }

    /** Everything together. */
    public long bytes()
    {
        final long live = weightBytes + kvBytes + stepBytes;
        return live + live / HEADROOM_SHARE;
    }

    /** In words: everything with headroom, and the parts without it. */
    public String text()
    {
        return size(bytes()) + " (" + size(weightBytes) + " weights, " + size(kvBytes) + " keys and values, " +
            size(stepBytes) + " buffers of steps)";
    }

    /** Bytes in words, such as 1.5 GiB. */
    public static String size(final long bytes)
    {
        return bytes < GIB ? String.format(Locale.ROOT, "%.1f MiB", bytes / MIB) :
            String.format(Locale.ROOT, "%.1f GiB", bytes / GIB);
    }
}
