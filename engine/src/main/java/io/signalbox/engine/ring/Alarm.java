// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.ring;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * The sleep of the timer until the next moment that matters. A thread that makes an earlier moment matter says so, and wakes
 * the timer only if it sleeps longer. The sleeper announces how long it will sleep before it looks a last time, so no moment
 * is missed.
 */
public final class Alarm
{
    public static final long NEVER = Long.MAX_VALUE;
    private static final long AWAKE = Long.MIN_VALUE;
    /** A clock of the user may run at another pace than the system's. */
    private static final long FOREIGN_CLOCK_NANOS = 1_000_000;

    private final LongSupplier clock;
    private final boolean systemClock;
    private volatile Thread sleeper;
    private volatile long until = AWAKE;

    /** @param systemClock whether the clock runs at the pace of the system. */
    public Alarm(final LongSupplier clock, final boolean systemClock)
    {
        this.clock = clock;
        this.systemClock = systemClock;
    }

    /**
     * Sleeps until the moment has come, an earlier one matters, or {@link #wake} is called; perhaps shorter.
     *
     * @param next the moment, which may change at any time; {@link #NEVER} if nothing is to come.
     */
    public void sleep(final LongSupplier next)
    {
        sleeper = Thread.currentThread();
        final long moment = next.getAsLong();
        until = moment;
        if (next.getAsLong() >= moment)
        {
            if (moment == NEVER)
            {
                LockSupport.park(this);
            }
            else
            {
                final long left = moment - clock.getAsLong();
                if (left > 0)
                {
                    LockSupport.parkNanos(this, systemClock ? left : Math.min(left, FOREIGN_CLOCK_NANOS));
                }
            }
        }
        until = AWAKE;
    }

    /** Whether the sleeper sleeps longer than until this moment. */
    public boolean sleepsPast(final long moment)
    {
        return until > moment;
    }

    /** This moment matters now. */
    public void dueAt(final long moment)
    {
        if (sleepsPast(moment))
        {
            wake();
        }
    }

    public void wake()
    {
        LockSupport.unpark(sleeper);
    }
}
