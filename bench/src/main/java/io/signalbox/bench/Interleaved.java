// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

import io.signalbox.Quantiles;

import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Measures a part against its ceiling: rounds of both by turns in one process, so that whatever else the
 * machine does falls on both alike, then the medians.
 */
final class Interleaved
{
    private Interleaved()
    {
    }

    /**
     * Runs and prints one line.
     *
     * @param ours    performs one round and returns its nanoseconds.
     * @param ceiling the same for the raw part.
     */
    static void compare(
        final String name,
        final int warmups,
        final int rounds,
        final long operations,
        final LongSupplier ours,
        final LongSupplier ceiling)
    {
        final double[] oursNanos = new double[rounds];
        final double[] ceilingNanos = new double[rounds];
        for (int round = -warmups; round < rounds; round++)
        {
            final double first = (double)ours.getAsLong() / operations;
            final double second = (double)ceiling.getAsLong() / operations;
            if (round >= 0)
            {
                oursNanos[round] = first;
                ceilingNanos[round] = second;
            }
        }
        final double ourMedian = median(oursNanos);
        final double ceilingMedian = median(ceilingNanos);
        System.out.printf(Locale.ROOT, "%-44s %10.1f ns/op   ceiling %10.1f ns/op   %5.2f times the ceiling (%d rounds)%n",
            name, ourMedian, ceilingMedian, ourMedian / ceilingMedian, rounds);
    }

    static double median(final double[] values)
    {
        return Quantiles.of(values, 50);
    }
}
