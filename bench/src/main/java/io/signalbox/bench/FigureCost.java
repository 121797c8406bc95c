// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

import io.signalbox.stats.LiveFigures;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Cost of live figures: decode steps of the scheduler with and without them, by turns in one process, in CPU time of the
 * thread that counts; then with another thread that asks for the figures ten times per second.
 */
public final class FigureCost
{
    private static final int WARMUPS = 5;
    private static final int ROUNDS = 15;
    private static final int STEPS = 20_000;
    private static final long ASK_NANOS = 100_000_000;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private FigureCost()
    {
    }

    /** @param args numbers of running requests. */
    public static void main(final String[] args) throws InterruptedException
    {
        for (final String running : args.length == 0 ? new String[] {"1", "32", "256", "1024"} : args)
        {
            measure(Integer.parseInt(running));
        }
    }

    private static void measure(final int running) throws InterruptedException
    {
        final int steps = Math.max(1, STEPS * 64 / (64 + running));
        final DecodeStepBenchmark alone = DecodeStepBenchmark.of(running, null);
        final DecodeStepBenchmark counted = DecodeStepBenchmark.of(running, figures());
        Interleaved.compare(running + " requests, counted and not", WARMUPS, ROUNDS, steps,
            () -> cpuNanos(counted, steps), () -> cpuNanos(alone, steps));
        final LiveFigures asked = figures();
        final DecodeStepBenchmark scraped = DecodeStepBenchmark.of(running, asked);
        final AtomicBoolean done = new AtomicBoolean();
        final long[] askNanos = new long[2];
        final Thread asker = new Thread(() -> ask(asked, done, askNanos), "asker");
        asker.start();
        Interleaved.compare(running + " requests, asked 10 times/s and not", WARMUPS, ROUNDS, steps,
            () -> cpuNanos(scraped, steps), () -> cpuNanos(counted, steps));
        done.set(true);
        asker.join();
        System.out.printf(Locale.ROOT, "%-44s %10.1f us of the asking thread%n", "one question",
            askNanos[0] / 1e3 / Math.max(1, askNanos[1]));
    }

    static LiveFigures figures()
    {
        return new LiveFigures(1, DecodeStepBenchmark.KV_BLOCKS, 16, 0, "signalbox", "signalbox");
    }

    private static long cpuNanos(final DecodeStepBenchmark decode, final int steps)
    {
        return cpuNanos(() ->
        {
            long bytes = 0;
            for (int i = 0; i < steps; i++)
            {
                bytes += decode.planAndCommit();
            }
            return bytes;
        });
    }

    private static long cpuNanos(final LongSupplier work)
    {
        final long start = THREADS.getCurrentThreadCpuTime();
        if (work.getAsLong() == 0)
        {
            throw new IllegalStateException("no step wrote a group");
        }
        return THREADS.getCurrentThreadCpuTime() - start;
    }

    /** @param nanos CPU time and number of the questions. */
    private static void ask(final LiveFigures figures, final AtomicBoolean done, final long[] nanos)
    {
        while (!done.get())
        {
            LockSupport.parkNanos(ASK_NANOS);
            final long start = THREADS.getCurrentThreadCpuTime();
            if (figures.stats(null).requests().accepted() == 0)
            {
                throw new IllegalStateException("nothing was counted");
            }
            nanos[0] += THREADS.getCurrentThreadCpuTime() - start;
            nanos[1]++;
        }
    }
}
