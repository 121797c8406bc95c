// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

/**
 * How much longer one kind of run takes than another, with Student's 95 % interval over paired differences.
 *
 * @param mean  of the differences, as a share of the mean of the base.
 * @param lower bound of the interval, as such a share.
 * @param upper the other bound.
 */
record PairedInterval(double mean, double lower, double upper)
{
    /** The 97.5 % quantiles of Student's distribution for 1 to 30 degrees of freedom. */
    private static final double[] STUDENT = {
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
        2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
    private static final double NORMAL = 1.960;

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
        final double half = student(pairs - 1) * Math.sqrt(squares / (pairs - 1) / pairs);
        final double baseMean = baseSum / pairs;
        return new PairedInterval(mean / baseMean, (mean - half) / baseMean, (mean + half) / baseMean);
    }

    /** Beyond the table a value that is at most 0.1 % too small, by the first term of the usual expansion. */
    private static double student(final int freedom)
    {
        return freedom <= STUDENT.length ? STUDENT[freedom - 1]
            : NORMAL + (NORMAL * NORMAL * NORMAL + NORMAL) / (4.0 * freedom);
    }
}
