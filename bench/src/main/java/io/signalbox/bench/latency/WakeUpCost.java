// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench.latency;

import org.HdrHistogram.Histogram;

import java.util.concurrent.locks.LockSupport;

/** Cost of waking a parked thread on this machine, the floor of every hand-over that is not caught by a spin. */
final class WakeUpCost
{
    private static final int ROUNDS = 4_000;
    private static final int WARM_UP_ROUNDS = 1_000;
    /** A thread that was parked for less may still be on its core. */
    private static final long REST_NANOS = 200_000;

    private volatile long wokenAt;
    private volatile long calls;
    private volatile boolean over;

    private WakeUpCost()
    {
    }

    /** Nanoseconds from {@code unpark} to the woken thread's first instruction. */
    static Histogram measure() throws InterruptedException
    {
        return new WakeUpCost().run();
    }

    private Histogram run() throws InterruptedException
    {
        final Thread sleeper = new Thread(this::sleep, "sleeper");
        sleeper.start();
        final Histogram histogram = new Histogram(FirstTokens.MAX_NANOS, 3);
        for (int round = -WARM_UP_ROUNDS; round < ROUNDS; round++)
        {
            LockSupport.parkNanos(REST_NANOS);
            final long start = System.nanoTime();
            final long call = calls + 1;
            wokenAt = 0;
            calls = call;
            LockSupport.unpark(sleeper);
            while (wokenAt == 0)
            {
                Thread.onSpinWait();
            }
            if (round >= 0)
            {
                histogram.recordValue(wokenAt - start);
            }
        }
        over = true;
        LockSupport.unpark(sleeper);
        sleeper.join();
        return histogram;
    }

    private void sleep()
    {
        long seen = 0;
        while (!over)
        {
            if (calls == seen)
            {
                LockSupport.park(this);
            }
            else
            {
                seen = calls;
                wokenAt = System.nanoTime();
            }
        }
    }
}
