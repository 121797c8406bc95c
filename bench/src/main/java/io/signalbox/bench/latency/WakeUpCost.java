// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench.latency;

import org.HdrHistogram.Histogram;

import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/**
 * Cost of waking parked threads on this machine, the floor of every hand-over that is not caught by a spin. Threads pass a
 * token on, each waking the next one, and do nothing else; the last one wakes the first.
 */
final class WakeUpCost
{
    /** A thread that was parked for less may still be on its core. */
    static final long SHORT_REST_NANOS = 200_000;
    /** As between requests at 200 per second: caches are cold, and an idle core sleeps. */
    static final long LONG_REST_NANOS = 5_000_000;
    private static final long MEASURED_NANOS = 4_000_000_000L;
    private static final int WARM_UP_ROUNDS = 200;
    private static final long FIRST_NANOS = 1_000_000;

    private final Stop[] stops;
    private final Histogram woken = new Histogram(MeasuredFirstTokens.MAX_NANOS, 3);
    private final Histogram calls = new Histogram(MeasuredFirstTokens.MAX_NANOS, 3);
    /** Read by the first thread once it has the token. */
    private long lastWokenNanos;
    private volatile boolean over;

    /** A thread that waits for the token. */
    private static final class Stop
    {
        private volatile long tokens;
        private volatile Thread thread;

        void pass()
        {
            tokens = tokens + 1;
            LockSupport.unpark(thread);
        }

        void await(final long count)
        {
            while (tokens < count)
            {
                LockSupport.park(this);
            }
        }
    }

    private WakeUpCost(final int threads)
    {
        stops = new Stop[threads];
        for (int i = 0; i < threads; i++)
        {
            stops[i] = new Stop();
        }
    }

    /** A sentence for a page: one wake-up of a thread that slept shortly or long. */
    static String describe() throws InterruptedException
    {
        final WakeUpCost there = new WakeUpCost(2).rested(SHORT_REST_NANOS);
        final WakeUpCost longer = new WakeUpCost(2).rested(LONG_REST_NANOS);
        return String.format(Locale.ROOT, "Waking a parked thread takes %s if it slept for 0.2 ms, and %s if it slept for " +
            "5 ms, as at 200/s; the call that wakes it takes %s then.", micros(there.woken), micros(longer.woken),
            micros(longer.calls));
    }

    private static String micros(final Histogram histogram)
    {
        return String.format(Locale.ROOT, "%.1f µs p50, %.1f µs p99", histogram.getValueAtPercentile(50) / 1e3,
            histogram.getValueAtPercentile(99) / 1e3);
    }

    /**
     * The hand-overs of a request and nothing else: a thread that sends at a constant rate wakes another one, that one the
     * next, the last one the first. Times from the intended ones on, as those of requests.
     *
     * @param engineThreads threads between the sender and itself.
     */
    static LatencyLoad.Awaited floor(final int engineThreads, final double perSecond, final double seconds)
        throws InterruptedException
    {
        final WakeUpCost cost = new WakeUpCost(1 + engineThreads);
        final LatencyLoad.Awaited floor = LatencyLoad.Awaited.none();
        final long start = cost.begin() + FIRST_NANOS;
        final long count = Math.max(1, (long)(perSecond * seconds));
        for (long i = 0; i < count; i++)
        {
            final long intended = start + (long)(i * 1e9 / perSecond);
            LatencyLoad.waitUntil(intended);
            cost.stops[1].pass();
            cost.stops[0].await(i + 1);
            floor.add(intended, cost.lastWokenNanos, System.nanoTime());
        }
        cost.end();
        return floor;
    }

    /** The time until the second thread runs, if it slept for so long. */
    private WakeUpCost rested(final long restNanos) throws InterruptedException
    {
        begin();
        final long rounds = Math.max(WARM_UP_ROUNDS, MEASURED_NANOS / restNanos);
        for (long round = 1; round <= WARM_UP_ROUNDS + rounds; round++)
        {
            LockSupport.parkNanos(restNanos);
            final long start = System.nanoTime();
            stops[1].pass();
            final long called = System.nanoTime();
            stops[0].await(round);
            if (round > WARM_UP_ROUNDS)
            {
                woken.recordValue(Math.max(0, lastWokenNanos - start));
                calls.recordValue(called - start);
            }
        }
        end();
        return this;
    }

    private long begin()
    {
        stops[0].thread = Thread.currentThread();
        for (int i = 1; i < stops.length; i++)
        {
            final int at = i;
            stops[i].thread = new Thread(() -> passOn(at), "wake-up-" + i);
            stops[i].thread.start();
        }
        return System.nanoTime();
    }

    private void end() throws InterruptedException
    {
        over = true;
        for (int i = 1; i < stops.length; i++)
        {
            stops[i].pass();
            stops[i].thread.join();
        }
    }

    private void passOn(final int at)
    {
        for (long round = 1; ; round++)
        {
            stops[at].await(round);
            lastWokenNanos = System.nanoTime();
            if (over)
            {
                return;
            }
            stops[(at + 1) % stops.length].pass();
        }
    }
}
