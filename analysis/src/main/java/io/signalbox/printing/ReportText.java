// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.report.RunReport;

import java.io.PrintStream;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** The report of a run as text. It has no wall-clock figure and no path. */
public final class ReportText
{
    /** Printed for figures that were not measured; a zero would be a measurement. */
    public static final String NO_DATA = "\u2013";

    private static final String LABEL = "%-18s";
    private static final int MAX_RANK_ROWS = 64;
    private static final int MAX_LOST_RANKS = 4;

    private final PrintStream out;
    private final String timeLabel;

    private ReportText(final PrintStream out, final String timeLabel)
    {
        this.out = out;
        this.timeLabel = timeLabel;
    }

    /** @param journal {@code null} if the run did not write a journal. */
    public static void print(final PrintStream out, final RunReport report, final JournalFacts journal)
    {
        print(out, report, journal, List.of());
    }

    /** @param extrapolated how the run leaves the range of the measurements that its step times were fitted to. */
    public static void print(
        final PrintStream out, final RunReport report, final JournalFacts journal, final List<String> extrapolated)
    {
        final ReportText text = new ReportText(out, "simulated time");
        extrapolated.forEach(clause -> text.row("extrapolated", "step times: " + clause));
        text.print(report, journal);
    }

    /** The report of a run whose times are real. */
    public static void printServed(final PrintStream out, final RunReport report, final JournalFacts journal)
    {
        new ReportText(out, "time").print(report, journal);
    }

    private void tenant(final RunReport.Tenant tenant)
    {
        row("tenant " + tenant.name(), Decimals.grouped(tenant.submitted()) + " submitted, " +
            Decimals.grouped(tenant.completed()) + " completed with " + Decimals.grouped(tenant.servedTokens()) +
            " tokens; TTFT p50 " + milliseconds(tenant.ttft().p50Nanos()) + " ms, p99 " +
            milliseconds(tenant.ttft().p99Nanos()) + " ms" + (tenant.goodput() == null ? "" : "; " +
            met(tenant.goodput().requests(), tenant.goodput().counted(), tenant.goodput().share()) + " within limits"));
    }

    private static String other(final long requests, final String end)
    {
        return requests == 0 ? "" : ", " + Decimals.grouped(requests) + " " + end;
    }

    private void print(final RunReport report, final JournalFacts journal)
    {
        final RunReport.Requests requests = report.requests();
        row("requests", Decimals.grouped(requests.submitted()) + " submitted: " +
            Decimals.grouped(requests.completed()) + " completed, " +
            Decimals.grouped(requests.cancelled()) + " cancelled, " + Decimals.grouped(requests.failed()) + " failed" +
            other(requests.missedDeadlines(), "missed deadlines") +
            other(requests.abortedByNewWeights(), "aborted by new weights") + other(requests.refused(), "refused") +
            other(requests.unfinished(), "unfinished"));
        if (requests.neverAsked() != null && (requests.neverAsked() != 0 || requests.leftOut() != 0))
        {
            row("not submitted", Decimals.grouped(requests.neverAsked()) + " never asked since an earlier turn did not " +
                "complete, " + Decimals.grouped(requests.leftOut()) + " left out by --limit");
        }
        row(timeLabel, Decimals.text(report.simulatedNanos() / 1e9, 3) + " s");
        row("throughput", perSecond(report.throughput().completedRequestsPerSecond(), 2) +
            " requests/s, " + perSecond(report.throughput().outputTokensPerSecond(), 1) + " output tokens/s");
        row("steps", Decimals.grouped(report.steps().steps()) + " with " + Decimals.grouped(report.steps().tokens()) +
            " tokens; " + Decimals.grouped(report.steps().preemptions()) + " preemptions, " +
            (report.steps().pauses() == 0 ? "" : Decimals.grouped(report.steps().pauses()) + " pauses, ") +
            Decimals.grouped(report.steps().evictions()) + " evictions" + padding(report.steps()));
        if (report.goodput() != null)
        {
            goodput(report.goodput());
        }
        inFlight(report.inFlight());
        placements(report.placements());
        if (report.faults() != null)
        {
            faults(report.faults());
        }
        if (report.newWeights() != null)
        {
            newWeights(report.newWeights());
        }
        latency(report.latency());
        report.tenants().forEach(this::tenant);
        ranks(report);
        experts(report);
        if (journal != null)
        {
            out.print('\n');
            row("journal", Decimals.counted(journal.records(), "record") + ", " + Decimals.bytes(journal.bytes()) +
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
            DifferenceReport.text(out, verdict.difference(), verdict.digests());
        }
    }

    private void goodput(final RunReport.Goodput goodput)
    {
        row("goodput", perSecond(goodput.requestsPerSecond(), 2) + " requests/s within " + goodput.slo().words() + ": " +
            met(goodput.requests(), goodput.counted(), goodput.share()));
        final List<RunReport.RankGoodput> counted =
            goodput.ranks().stream().filter(rank -> rank.counted() > 0).toList();
        if (counted.size() > 1)
        {
            final RunReport.RankGoodput worst =
                counted.stream().min(Comparator.comparingDouble(RunReport.RankGoodput::share)).orElseThrow();
            row("", "least on rank " + worst.rank() + ": " + met(worst.requests(), worst.counted(), worst.share()));
        }
    }

    private static String met(final long requests, final long counted, final double share)
    {
        return Decimals.grouped(requests) + " of " + Decimals.counted(counted, "request") + ", " +
            percent(share);
    }

    private void inFlight(final RunReport.InFlight figures)
    {
        final long drafts = figures.acceptedDrafts() + figures.draftsAfterStop() + figures.rejectedDrafts();
        if (figures.computeNanos() > 0)
        {
            row("devices", "computed " + Decimals.text(figures.computeNanos() / 1e9, 3) + " s, idle " +
                Decimals.text(figures.gaps() == 0 ? 0.0 : figures.idleNanos() / 1e6 / figures.gaps(), 3) +
                " ms between two steps" +
                (figures.deadEntries() == 0 ? "" : "; " + Decimals.grouped(figures.deadEntries()) + " dead entries"));
        }
        if (drafts > 0)
        {
            row("draft tokens", Decimals.grouped(drafts) + ", " + Decimals.grouped(figures.acceptedDrafts()) +
                " of them accepted" + (figures.draftsAfterStop() == 0 ? "" :
                ", " + Decimals.grouped(figures.draftsAfterStop()) + " right but after a stop token"));
        }
    }

    private void placements(final RunReport.Placements placements)
    {
        final String routers = placements.byRouter().entrySet().stream()
            .map(router -> Decimals.grouped(router.getValue()) + " by " + router.getKey())
            .collect(Collectors.joining(", "));
        final String inPlaceOf = placements.byFallback() == 0
            ? "" : ", of them " + Decimals.grouped(placements.byFallback()) + " in place of " +
                placements.configured();
        row("placements", (routers.isEmpty() ? "0" : routers) + inPlaceOf + "; " +
            Decimals.grouped(placements.onHints()) + " on hints, " + Decimals.grouped(placements.bound()) +
            " bound by conversation, " + Decimals.grouped(placements.gateClosed()) + " with the gate closed");
        final String ties = placements.ties().entrySet().stream()
            .map(rule -> Decimals.grouped(rule.getValue()) + " by " + EnumNames.words(rule.getKey()))
            .collect(Collectors.joining(", "));
        row("ties broken", ties.isEmpty() ? "none" : ties);
    }

    private void faults(final RunReport.Faults faults)
    {
        final String injected = faults.injected().entrySet().stream()
            .map(fault -> Decimals.grouped(fault.getValue()) + " " + fault.getKey()).collect(Collectors.joining(", "));
        row("faults injected", (injected.isEmpty() ? "none" : injected) + (faults.notReached() == 0 ? "" :
            "; " + Decimals.grouped(faults.notReached()) + " of the plan not reached"));
        row("steps given up", Decimals.grouped(faults.failedSteps()) + " failed, " +
            Decimals.grouped(faults.timedOutSteps()) + " timed out, " + Decimals.grouped(faults.withdrawnSteps()) +
            " withdrawn by resets; " + Decimals.grouped(faults.ignoredReports()) + " reports ignored");
        row("after faults", Decimals.grouped(faults.requeued()) + " restarts of requests; " +
            Decimals.counted(faults.failedRequests(), "request") + " failed, " +
            Decimals.grouped(faults.refusedRequests()) + " refused with every rank lost");
        final String down = faults.ranks().stream().limit(MAX_LOST_RANKS)
            .map(rank -> "rank " + rank.rank() + " lost " + Decimals.grouped(rank.losses()) + " \u00d7, down " +
                Decimals.text(rank.downNanos() / 1e9, 3) + " s").collect(Collectors.joining(", "));
        final int more = faults.ranks().size() - MAX_LOST_RANKS;
        row("ranks lost", (down.isEmpty() ? "none" : down) + (more <= 0 ? "" : ", " + more + " more") +
            "; backend reset " + Decimals.grouped(faults.resets()) + " \u00d7");
    }

    private void newWeights(final RunReport.NewWeights weights)
    {
        row("new weights", Decimals.grouped(weights.changes()) + " \u00d7; " + Decimals.grouped(weights.requeued()) +
            " restarts of requests, " + Decimals.counted(weights.aborted(), "request") + " aborted, " +
            Decimals.grouped(weights.mixed()) + " ended with tokens of several generations");
    }

    private void latency(final RunReport.Latencies latency)
    {
        out.printf("%n" + LABEL + " %11s %11s %11s %11s %11s%n", "latency, ms", "mean", "p50", "p90", "p99", "max");
        latency("TTFT", latency.ttft());
        part("  queue", latency.ttftParts().queue());
        part("  schedule", latency.ttftParts().schedule());
        part("  host", latency.ttftParts().host());
        part("  device", latency.ttftParts().device());
        part("  delivery", latency.ttftParts().delivery());
        latency("TPOT", latency.tpot());
        latency("ITL", latency.itl());
        latency("end to end", latency.e2e());
    }

    /** A part of TTFT, unless it took no time in any request. */
    private void part(final String name, final RunReport.LatencySummary summary)
    {
        if (summary.count() > 0 && summary.maxNanos() > 0)
        {
            latency(name, summary);
        }
    }

    private void latency(final String name, final RunReport.LatencySummary summary)
    {
        out.printf(LABEL + " %11s %11s %11s %11s %11s%n", name, milliseconds(summary.meanNanos()),
            milliseconds(summary.p50Nanos()), milliseconds(summary.p90Nanos()),
            milliseconds(summary.p99Nanos()), milliseconds(summary.maxNanos()));
    }

    private void ranks(final RunReport report)
    {
        final RunReport.PrefixCache cache = report.prefixCache();
        out.printf("%n" + LABEL + " %11s %11s %11s %11s %11s%n",
            "rank", "requests", "token hits", "block hits", "blocks mean", "blocks peak");
        if (cache.ranks().size() > MAX_RANK_ROWS)
        {
            RankSummary.of(report).print(out, LABEL);
        }
        else
        {
            rankRows(report);
        }
        final long admitted = cache.ranks().stream().mapToLong(RunReport.RankPrefixCache::admittedRequests).sum();
        out.printf(LABEL + " %11s %11s %11s%n%n", "all ranks", Decimals.grouped(admitted),
            percent(cache.tokenHitRate()), percent(cache.blockHitRate()));
        row("shared blocks", Decimals.grouped(cache.matchedBlocks()) + " matched, " +
            Decimals.grouped(cache.generatedBlocks()) + " of them filled by decoding, " +
            Decimals.grouped(cache.pendingBlocks()) + " still being computed");
    }

    private void rankRows(final RunReport report)
    {
        for (int i = 0; i < report.prefixCache().ranks().size(); i++)
        {
            final RunReport.RankPrefixCache rank = report.prefixCache().ranks().get(i);
            final RunReport.RankOccupancy occupancy = report.blockOccupancy().get(i);
            out.printf(LABEL + " %11s %11s %11s %11s %11s%n", rank.rank(), Decimals.grouped(rank.admittedRequests()),
                percent(rank.tokenHitRate()), percent(rank.blockHitRate()), percent(occupancy.mean()),
                Decimals.percent(occupancy.peak()));
        }
    }

    private void experts(final RunReport report)
    {
        final RunReport.RowCounts experts = report.routedExperts();
        if (experts.load() == null)
        {
            row("routed experts", "capture was off");
            return;
        }
        row("routed experts", Decimals.counted(experts.captured(), "row") + " captured, " +
            Decimals.grouped(experts.inherited()) + " inherited, " + Decimals.grouped(experts.missing()) + " missing" +
            (experts.combineWeights() ? "; with combine weights" : ""));
        if (Double.isNaN(experts.load().maxOverMean()))
        {
            row("expert load", NO_DATA);
            return;
        }
        row("expert load", "busiest expert " + Decimals.text(experts.load().maxOverMean(), 2) +
            " times the mean, coefficient of variation " + Decimals.text(experts.load().coefficientOfVariation(), 3));
    }

    private void row(final String label, final String text)
    {
        out.printf(LABEL + "%s%n", label, text);
    }

    private static String perSecond(final double rate, final int digits)
    {
        return Double.isNaN(rate) ? NO_DATA : Decimals.text(rate, digits);
    }

    private static String percent(final double share)
    {
        return Double.isNaN(share) ? NO_DATA : Decimals.percent(share);
    }

    private static String milliseconds(final Number nanos)
    {
        return nanos == null || Double.isNaN(nanos.doubleValue()) ? NO_DATA : Decimals.text(nanos.doubleValue() / 1e6, 2);
    }

    /** Ranks in lock-step also take part in steps in which they have nothing to compute. */
    private static String padding(final RunReport.Steps steps)
    {
        return steps.emptySteps() == 0 ? "" : "; " + Decimals.grouped(steps.emptySteps()) + " of the steps empty";
    }
}
