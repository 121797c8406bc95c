// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cpu;

import io.signalbox.ConfigException;
import io.signalbox.model.ModelMemory;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.forward.ForwardModel;
import io.signalbox.model.forward.Precision;

/** Copies a second set of weights to the heap, and leaves the memory that ranks may need. */
final class NewModel
{
    /** The share of the heap that is left for ranks and collector. */
    private static final int HEADROOM_SHARE = 16;

    private NewModel()
    {
    }

    /** @throws ConfigException if the heap does not have room. */
    static ForwardModel load(final ModelWeights weights, final Precision precision)
    {
        final long needed = precision.weights(weights).bytes();
        if (needed > free())
        {
            // Garbage counts as used until it is collected.
            System.gc();
        }
        final long free = free();
        if (needed > free)
        {
            throw shortage(needed, free);
        }
        try
        {
            return ForwardModel.of(weights, precision);
        }
        catch (final OutOfMemoryError e)
        {
            throw shortage(needed, free());
        }
    }

    private static long free()
    {
        final Runtime runtime = Runtime.getRuntime();
        final long most = runtime.maxMemory();
        return most - most / HEADROOM_SHARE - (runtime.totalMemory() - runtime.freeMemory());
    }

    private static ConfigException shortage(final long needed, final long free)
    {
        return new ConfigException("the new weights need " + ModelMemory.size(needed) + " of the heap next to the current " +
            "ones, and " + ModelMemory.size(Math.max(0, free)) + " are free; give a larger heap (-Xmx), or fewer KV " +
            "blocks.");
    }
}
