// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.util.Locale;

/**
 * Memory that a model needs on the heap, known before any of it is allocated.
 *
 * @param weightBytes of all weights, as they are stored.
 * @param kvBytes     keys and values of all ranks, as float32.
 */
public record ModelMemory(long weightBytes, long kvBytes)
{
    /** Buffers of a step, and room for the garbage collector: 1/8. */
    private static final int HEADROOM_SHARE = 8;
    private static final double MIB = 1L << 20;
    private static final double GIB = 1L << 30;

    /**
     * @param kvTokens tokens whose keys and values have room, of all ranks.
     * @throws ModelException if they are more bytes than a long counts.
     */
    public static ModelMemory of(final DecoderPlan plan, final long kvTokens)
    {
        final long tokenBytes = plan.kvElementsPerToken() * Float.BYTES;
        if (kvTokens > Long.MAX_VALUE / 4 / tokenBytes)
        {
            throw new ModelException(
                "keys and values of " + kvTokens + " tokens are more than any memory holds", "give fewer KV blocks");
        }
        return new ModelMemory(plan.parameters() * plan.type().bytes(), kvTokens * tokenBytes);
    }

    /** Everything together. */
    public long bytes()
    {
        final long live = weightBytes + kvBytes;
        return live + live / HEADROOM_SHARE;
    }

    /**
     * @param heapBytes    the largest heap of this JVM.
     * @param machineBytes the memory of this machine, or of the container.
     * @throws ModelException if the model does not fit; it names the larger heap, if one would help.
     */
    public void check(final long heapBytes, final long machineBytes)
    {
        if (bytes() > machineBytes)
        {
            throw new ModelException("the model needs " + text() + ", and this machine has " + size(machineBytes),
                "give fewer KV blocks or ranks, a smaller model, or a machine with more memory");
        }
        if (bytes() > heapBytes)
        {
            throw new ModelException("the model needs " + text() + ", and the Java heap has " + size(heapBytes),
                "give a larger heap, for example with JAVA_TOOL_OPTIONS=-Xmx" + (bytes() / (1L << 30) + 1) +
                    "g, or fewer KV blocks or ranks");
        }
    }

    /** In words: weights, keys and values, and both with room for steps. */
    public String text()
    {
        return size(bytes()) + " (" + size(weightBytes) + " weights, " + size(kvBytes) + " keys and values)";
    }

    private static String size(final long bytes)
    {
        return bytes < GIB ? String.format(Locale.ROOT, "%.1f MiB", bytes / MIB) :
            String.format(Locale.ROOT, "%.1f GiB", bytes / GIB);
    }
}
