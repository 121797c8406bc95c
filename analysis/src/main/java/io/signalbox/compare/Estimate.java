// SPDX-License-Identifier: Apache-2.0
package io.signalbox.compare;

import io.signalbox.Quantiles;

/**
 * A mean over seeds with its 95 % confidence interval.
 *
 * @param mean      NaN if a run measured nothing.
 * @param halfWidth the interval is mean ± this; NaN with fewer than two seeds.
 */
public record Estimate(double mean, double halfWidth)
{
    /** @param values one per seed, at least one. */
    public static Estimate of(final double... values)
    {
        double sum = 0.0;
        for (final double value : values)
        {
            sum += value;
        }
        final double mean = sum / values.length;
        if (values.length < 2)
        {
            return new Estimate(mean, Double.NaN);
        }
        double squares = 0.0;
        for (final double value : values)
        {
            squares += (value - mean) * (value - mean);
        }
        final double variance = squares / (values.length - 1);
        return new Estimate(mean, Quantiles.student975(values.length - 1) * Math.sqrt(variance / values.length));
    }
}
