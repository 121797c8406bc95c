// SPDX-License-Identifier: Apache-2.0
package io.signalbox.compare;

/** Quantiles of Student's t distribution, for two-sided intervals of 95 %. */
final class StudentT
{
    /** For 1 to 30 degrees of freedom, from any statistical table. */
    private static final double[] QUANTILES = {
        12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157, 2.228139,
        2.200985, 2.178813, 2.160369, 2.144787, 2.131450, 2.119905, 2.109816, 2.100922, 2.093024, 2.085963,
        2.079614, 2.073873, 2.068658, 2.063899, 2.059539, 2.055529, 2.051831, 2.048407, 2.045230, 2.042272};
    private static final double NORMAL = 1.959963984540054;

    private StudentT()
    {
    }

    /** Above 30 degrees by an expansion around the normal quantile, right to six digits there. */
    static double quantile975(final int degrees)
    {
        if (degrees <= QUANTILES.length)
        {
            return QUANTILES[degrees - 1];
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
