// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.ring;

import java.util.concurrent.locks.LockSupport;

/** Repeats a step that must not be left out while the heap is exhausted, until memory is free again. */
public final class MemoryShortage
{
    private static final int TRIES = 1000;
    private static final long PAUSE_NANOS = 10_000_000;

    private MemoryShortage()
    {
    }

    /**
     * Runs the step, and repeats it if it runs out of memory. A repetition must have no effect on completed parts.
     *
     * @throws OutOfMemoryError when memory stays short for some ten seconds.
     */
    public static void outlast(final Runnable step)
    {
        for (int tries = 1; ; tries++)
        {
            try
            {
                step.run();
                return;
            }
            catch (final OutOfMemoryError e)
            {
                if (tries == TRIES)
                {
                    throw e;
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }
}
