// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.Quantiles;

/**
 * How much longer one kind of run takes than another, with Student's 95 % interval over paired differences.
 *
 * @param mean  of the differences, as a share of the mean of the base.
 * @param lower bound of the interval, as such a share.
 * @param upper the other bound.
 */
record PairedInterval(double mean, double lower, double upper)
{
    /** Whether the interval is between minus and plus so many percent. */
    boolean isWithin(final double percent)
    {
        return 100.0 * lower >= -percent && 100.0 * upper <= percent;
    }

    /**
     * @param base  times without; at least two.
     * @param other times with, each beside its partner.
     */
    static PairedInterval of(final double[] base, final double[] other)
    {
        final int pairs = base.length;
        double baseSum = 0.0;
        double sum = 0.0;
        for (int i = 0; i < pairs; i++)
        {
            baseSum += base[i];
            sum += other[i] - base[i];
        }
        final double mean = sum / pairs;
        double squares = 0.0;
        for (int i = 0; i < pairs; i++)
        {
            final double deviation = other[i] - base[i] - mean;
            squares += deviation * deviation;
        }
        final double half = Quantiles.student975(pairs - 1) * Math.sqrt(squares / (pairs - 1) / pairs);
        final double baseMean = baseSum / pairs;
        return new PairedInterval(mean / baseMean, (mean - half) / baseMean, (mean + half) / baseMean);
    }
}
