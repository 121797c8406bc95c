// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.http;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waits, at the end of a server, for what nobody announces. */
public final class BoundedWait
{
    private static final long STEP_MILLIS = 1;

    private BoundedWait()
    {
    }

    /** Returns when it is done, when the time is over, or at an interrupt, which stays set. */
    public static void until(final BooleanSupplier done, final long millis)
    {
        final long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        try
        {
            while (!done.getAsBoolean() && System.nanoTime() - end < 0)
            {
                TimeUnit.MILLISECONDS.sleep(STEP_MILLIS);
            }
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
    }
}
