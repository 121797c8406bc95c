// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.report.RunReport;

import java.io.PrintStream;

/** The report of a run as tables for people. It holds no wall-clock figure and no path. */
final class ReportText
{
    private static final String LABEL = "%-18s";

    private final PrintStream out;

    private ReportText(final PrintStream out)
    {
        this.out = out;
    }

    /** @param journal null: none was kept. */
    static void print(final PrintStream out, final RunReport report, final JournalFacts journal)
    {
        new ReportText(out).print(report, journal);
    }

    private void print(final RunReport report, final JournalFacts journal)
    {
        final RunReport.Requests requests = report.requests();
        row("requests", Decimals.grouped(requests.submitted()) + " submitted: " +
            Decimals.grouped(requests.completed()) + " completed, " +
            Decimals.grouped(requests.cancelled()) + " cancelled, " + Decimals.grouped(requests.failed()) + " failed" +
            (requests.unfinished() == 0 ? "" : ", " + Decimals.grouped(requests.unfinished()) + " unfinished"));
        row("simulated time", Decimals.text(report.simulatedNanos() / 1e9, 3) + " s");
        row("throughput", Decimals.text(report.throughput().completedRequestsPerSecond(), 2) + " requests/s, " +
            Decimals.text(report.throughput().outputTokensPerSecond(), 1) + " output tokens/s");
        row("steps", Decimals.grouped(report.steps().steps()) + " with " + Decimals.grouped(report.steps().tokens()) +
            " tokens; " + Decimals.grouped(report.steps().preemptions()) + " preemptions, " +
            Decimals.grouped(report.steps().evictions()) + " evictions");
        latency(report.latency());
        ranks(report);
        experts(report.routedExperts());
        if (journal != null)
        {
            out.print('\n');
            row("journal", Decimals.grouped(journal.records()) + " records, " + Decimals.bytes(journal.bytes()) +
                ", digest " + journal.digest());
            verdict(journal);
        }
    }

    private void verdict(final JournalFacts journal)
    {
        final Verdict verdict = journal.verdict();
        if (verdict.confirmed() == null)
        {
            row("verified", "not asked for");
            return;
        }
        row("verified", verdict.confirmed()
            ? "yes: all " + Decimals.grouped(journal.groups()) + " groups were re-run and are equal"
            : "no: " + verdict.problem());
        if (verdict.difference() != null)
        {
            DifferenceReport.text(out, verdict.difference());
        }
    }

    private void latency(final RunReport.Latency latency)
    {
        out.printf("%n" + LABEL + "%12s%12s%12s%12s%12s%n", "latency, ms", "mean", "p50", "p90", "p99", "max");
        latency("TTFT", latency.ttft());
        latency("TPOT", latency.tpot());
        latency("ITL", latency.itl());
        latency("end to end", latency.e2e());
    }

    private void latency(final String name, final RunReport.LatencySummary summary)
    {
        out.printf(LABEL + "%12s%12s%12s%12s%12s%n", name, milliseconds(summary.meanNanos()),
            milliseconds(summary.p50Nanos()), milliseconds(summary.p90Nanos()), milliseconds(summary.p99Nanos()),
            milliseconds(summary.maxNanos()));
    }

    private void ranks(final RunReport report)
    {
        final RunReport.PrefixCache cache = report.prefixCache();
        out.printf("%n" + LABEL + "%12s%12s%12s%12s%12s%n",
            "rank", "requests", "token hits", "block hits", "blocks mean", "blocks peak");
        for (int i = 0; i < cache.ranks().size(); i++)
        {
            final RunReport.RankPrefixCache rank = cache.ranks().get(i);
            final RunReport.RankOccupancy occupancy = report.blockOccupancy().get(i);
            out.printf(LABEL + "%12s%12s%12s%12s%12s%n", rank.rank(), Decimals.grouped(rank.admittedRequests()),
                Decimals.percent(rank.tokenHitRate()), Decimals.percent(rank.blockHitRate()),
                Decimals.percent(occupancy.mean()), Decimals.percent(occupancy.peak()));
        }
        final long admitted = cache.ranks().stream().mapToLong(RunReport.RankPrefixCache::admittedRequests).sum();
        out.printf(LABEL + "%12s%12s%12s%n%n", "all ranks", Decimals.grouped(admitted),
            Decimals.percent(cache.tokenHitRate()), Decimals.percent(cache.blockHitRate()));
    }

    private void experts(final RunReport.RoutedExperts experts)
    {
        if (experts.load() == null)
        {
            row("routed experts", "capture was off");
            return;
        }
        row("routed experts", Decimals.grouped(experts.captured()) + " rows captured, " +
            Decimals.grouped(experts.inherited()) + " inherited, " + Decimals.grouped(experts.missing()) + " missing");
        row("expert load", "busiest expert " + Decimals.text(experts.load().maxOverMean(), 2) +
            " times the mean, coefficient of variation " + Decimals.text(experts.load().coefficientOfVariation(), 3));
    }

    private void row(final String label, final String text)
    {
        out.printf(LABEL + "%s%n", label, text);
    }

    private static String milliseconds(final double nanos)
    {
        return Decimals.text(nanos / 1e6, 2);
    }
}
