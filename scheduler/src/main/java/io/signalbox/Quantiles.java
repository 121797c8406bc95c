// SPDX-License-Identifier: Apache-2.0
package io.signalbox;

import java.util.Arrays;

/** Exact quantiles of a sample, and quantiles of Student's t distribution, with the same bits on every JVM. */
public final class Quantiles
{
    /** 97.5 % quantiles of Student's t for 1 to 30 degrees of freedom, from any statistical table. */
    private static final double[] STUDENT = {
        12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157, 2.228139,
        2.200985, 2.178813, 2.160369, 2.144787, 2.131450, 2.119905, 2.109816, 2.100922, 2.093024, 2.085963,
        2.079614, 2.073873, 2.068658, 2.063899, 2.059539, 2.055529, 2.051831, 2.048407, 2.045230, 2.042272};
    private static final double NORMAL = 1.959963984540054;

    private Quantiles()
    {
    }

    /** The smallest value that has at least so many percent of all at or below it; of an even count the lower median. */
    public static double of(final double[] sample, final int percent)
    {
        final double[] sorted = sample.clone();
        Arrays.sort(sorted);
        return sorted[index(sorted.length, percent)];
    }

    /**
     * Index of that value in a sorted sample.
     *
     * @param count   at least 1.
     * @param percent 0, for the smallest value, to 100.
     */
    public static int index(final int count, final int percent)
    {
        return Math.max(0, (int)(((long)count * percent + 99) / 100) - 1);
    }

    /**
     * Quantile of Student's t distribution for two-sided intervals of 95 %. Above 30 degrees it comes from an expansion
     * around the normal quantile, right to six digits there.
     *
     * @param degrees of freedom, at least 1.
     */
    public static double student975(final int degrees)
    {
        if (degrees <= STUDENT.length)
        {
            return STUDENT[degrees - 1];
        }
        final double cube = NORMAL * NORMAL * NORMAL;
        final double fifth = cube * NORMAL * NORMAL;
        final double seventh = fifth * NORMAL * NORMAL;
        final double first = (cube + NORMAL) / 4.0;
        final double second = (5.0 * fifth + 16.0 * cube + 3.0 * NORMAL) / 96.0;
        final double third = (3.0 * seventh + 19.0 * fifth + 17.0 * cube - 15.0 * NORMAL) / 384.0;
        return NORMAL + (first + (second + third / degrees) / degrees) / degrees;
    }
}
