// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.report.RunReport;

import java.io.PrintStream;
import java.util.Arrays;

/**
 * Many ranks in three rows: smallest, median and largest of each figure, column by column. Hit rates leave out ranks
 * without requests.
 */
record RankSummary(double[] requests, double[] tokenHits, double[] blockHits, double[] means, double[] peaks)
{
    static RankSummary of(final RunReport report)
    {
        return new RankSummary(
            sorted(report.prefixCache().ranks().stream().mapToDouble(RunReport.RankPrefixCache::admittedRequests).toArray()),
            sorted(report.prefixCache().ranks().stream().filter(rank -> rank.promptTokens() > 0)
                .mapToDouble(RunReport.RankPrefixCache::tokenHitRate).toArray()),
            sorted(report.prefixCache().ranks().stream().filter(rank -> rank.promptBlocks() > 0)
                .mapToDouble(RunReport.RankPrefixCache::blockHitRate).toArray()),
            sorted(report.blockOccupancy().stream().mapToDouble(RunReport.RankOccupancy::mean).toArray()),
            sorted(report.blockOccupancy().stream().mapToDouble(RunReport.RankOccupancy::peak).toArray()));
    }

    private static double[] sorted(final double[] values)
    {
        Arrays.sort(values);
        return values;
    }

    void print(final PrintStream out, final String label)
    {
        row(out, label, "min", 0.0);
        row(out, label, "median", 0.5);
        row(out, label, "max", 1.0);
    }

    private void row(final PrintStream out, final String label, final String name, final double quantile)
    {
        out.printf(label + " %11s %11s %11s %11s %11s%n", name, Decimals.grouped((long)at(requests, quantile)),
            percent(tokenHits, quantile), percent(blockHits, quantile), percent(means, quantile), percent(peaks, quantile));
    }

    private static String percent(final double[] values, final double quantile)
    {
        return values.length == 0 ? ReportText.NO_DATA : Decimals.percent(at(values, quantile));
    }

    /** The lower one of two in the middle, so that every figure is that of some rank. */
    private static double at(final double[] values, final double quantile)
    {
        return values[(int)((values.length - 1) * quantile)];
    }
}
