// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

import io.signalbox.Quantiles;

import java.util.Arrays;
import java.util.Locale;

/**
 * Times the steps of {@link DecodeStepBenchmark} in windows of 16 and prints quantiles: on a machine that others use, the
 * quietest windows say most. Beside the whole step it gives the part within the scheduler, which does not depend on how the
 * benchmark reads plans and writes completions.
 */
public final class DecodeStepTime
{
    private static final int WINDOW = 16;
    private static final int MOST_WINDOWS = 100_000;
    private static final double WARM_UP = 0.35;

    private DecodeStepTime()
    {
    }

    public static void main(final String[] arguments)
    {
        if (arguments.length != 5)
        {
            System.err.println(
                "give the seconds to run, running requests, depth, draft tokens, and MoE layers of the capture.");
            System.exit(2);
        }
        final double nanos = Double.parseDouble(arguments[0]) * 1e9;
        final DecodeStepBenchmark steps = DecodeStepBenchmark.timed(Integer.parseInt(arguments[1]),
            Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]), Integer.parseInt(arguments[4]));
        for (final long end = System.nanoTime() + (long)(nanos * WARM_UP); System.nanoTime() < end;)
        {
            steps.planAndCommit();
        }
        final long[] whole = new long[MOST_WINDOWS];
        final long[] inScheduler = new long[MOST_WINDOWS];
        int windows = 0;
        for (final long end = System.nanoTime() + (long)(nanos * (1 - WARM_UP)); windows < MOST_WINDOWS; windows++)
        {
            final long begin = System.nanoTime();
            if (begin > end)
            {
                break;
            }
            steps.takeSchedulerNanos();
            for (int i = 0; i < WINDOW; i++)
            {
                steps.planAndCommit();
            }
            whole[windows] = System.nanoTime() - begin;
            inScheduler[windows] = steps.takeSchedulerNanos();
        }
        print("in the scheduler", inScheduler, windows);
        print("whole step", whole, windows);
    }

    private static void print(final String name, final long[] nanos, final int windows)
    {
        final long[] sorted = Arrays.copyOf(nanos, windows);
        Arrays.sort(sorted);
        System.out.printf(Locale.ROOT,
            "%-18s first hundredth %8.2f us   first tenth %8.2f   median %8.2f   of %,d windows%n",
            name, micros(sorted[Quantiles.index(windows, 1)]), micros(sorted[Quantiles.index(windows, 10)]),
            micros(sorted[Quantiles.index(windows, 50)]), windows);
    }

    private static double micros(final long windowNanos)
    {
        return windowNanos / 1e3 / WINDOW;
    }
}
