// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import java.util.Arrays;

/** Exact quantiles of a sample: the smallest value that at least the given share of the sample does not exceed. */
final class Quantiles
{
    private final double[] sorted;

    Quantiles(final double[] sample)
    {
        sorted = sample.clone();
        Arrays.sort(sorted);
    }

    /** @param share above 0, at most 1. */
    double at(final double share)
    {
        return sorted[(int)Math.ceil(share * sorted.length) - 1];
    }

    void report(final Findings findings, final String name, final String unit)
    {
        findings.figure(name + ", median", at(0.5), unit);
        findings.figure(name + ", 99 % of " + sorted.length, at(0.99), unit);
        findings.figure(name + ", largest", at(1.0), unit);
    }
}
