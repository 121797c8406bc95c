// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.ring;

import java.util.concurrent.locks.LockSupport;

/** A wait that starts short and becomes cheap: it spins, then yields, then sleeps. */
public final class Pause
{
    private static final int SPINS = 100;
    private static final int YIELDS = 1000;
    private static final long PARK_NANOS = 50_000;

    private Pause()
    {
    }

    /** @param round how often the caller has paused in this wait, from 0. */
    public static void pause(final int round)
    {
        if (round < SPINS)
        {
            Thread.onSpinWait();
        }
        else if (round < SPINS + YIELDS)
        {
            Thread.yield();
        }
        else
        {
            LockSupport.parkNanos(PARK_NANOS);
        }
    }
}
