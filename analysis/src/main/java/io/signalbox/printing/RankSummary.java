// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.Quantiles;
import io.signalbox.report.RunReport;

import java.io.PrintStream;

/**
 * Many ranks in three rows: smallest, median and largest of each figure, column by column; each is that of some rank. Hit
 * rates leave out ranks without requests.
 */
record RankSummary(double[] requests, double[] tokenHits, double[] blockHits, double[] means, double[] peaks)
{
    static RankSummary of(final RunReport report)
    {
        return new RankSummary(
            report.prefixCache().ranks().stream().mapToDouble(RunReport.RankPrefixCache::admittedRequests).toArray(),
            report.prefixCache().ranks().stream().filter(rank -> rank.promptTokens() > 0)
                .mapToDouble(RunReport.RankPrefixCache::tokenHitRate).toArray(),
            report.prefixCache().ranks().stream().filter(rank -> rank.promptBlocks() > 0)
                .mapToDouble(RunReport.RankPrefixCache::blockHitRate).toArray(),
            report.blockOccupancy().stream().mapToDouble(RunReport.RankOccupancy::mean)
                .filter(mean -> !Double.isNaN(mean)).toArray(),
            report.blockOccupancy().stream().mapToDouble(RunReport.RankOccupancy::peak).toArray());
    }

    void print(final PrintStream out, final String label)
    {
        row(out, label, "min", 0);
        row(out, label, "median", 50);
        row(out, label, "max", 100);
    }

    private void row(final PrintStream out, final String label, final String name, final int percent)
    {
        out.printf(label + " %11s %11s %11s %11s %11s%n", name, Decimals.grouped((long)Quantiles.of(requests, percent)),
            percent(tokenHits, percent), percent(blockHits, percent), percent(means, percent), percent(peaks, percent));
    }

    private static String percent(final double[] values, final int percent)
    {
        return values.length == 0 ? ReportText.NO_DATA : Decimals.percent(Quantiles.of(values, percent));
    }
}
