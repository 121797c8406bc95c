// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.Quantiles;
import io.signalbox.whatif.WhatIfReport.Distribution;
import org.agrona.collections.LongArrayList;

import java.util.Arrays;

/** Exact order statistics. */
final class Distributions
{
    private Distributions()
    {
    }

    static Distribution of(final LongArrayList values)
    {
        final long[] sorted = values.toLongArray();
        Arrays.sort(sorted);
        if (sorted.length == 0)
        {
            return new Distribution(0, 0.0, 0, 0, 0, 0, 0);
        }
        double sum = 0.0;
        for (final long value : sorted)
        {
            sum += value;
        }
        return new Distribution(sorted.length, sum / sorted.length, sorted[0], at(sorted, 1), at(sorted, 50), at(sorted, 99),
            sorted[sorted.length - 1]);
    }

    private static long at(final long[] sorted, final int percent)
    {
        return sorted[Quantiles.index(sorted.length, percent)];
    }
}
