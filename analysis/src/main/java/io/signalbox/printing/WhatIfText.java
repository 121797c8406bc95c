// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.compare.Estimate;
import io.signalbox.printing.figures.FigureTable;
import io.signalbox.printing.figures.TextColumns;
import io.signalbox.state.FoldedMatches;
import io.signalbox.whatif.ExpertFigures.HotExpert;
import io.signalbox.whatif.ExpertFigures;
import io.signalbox.whatif.RunFigure;
import io.signalbox.whatif.WhatIfReport.Candidate;
import io.signalbox.whatif.WhatIfReport.ChangedDecision;
import io.signalbox.whatif.WhatIfReport.Count;
import io.signalbox.whatif.WhatIfReport.Decisions;
import io.signalbox.whatif.WhatIfReport.Distribution;
import io.signalbox.whatif.WhatIfReport.Divergence;
import io.signalbox.whatif.WhatIfReport.ReRun;
import io.signalbox.whatif.WhatIfReport.Regret;
import io.signalbox.whatif.WhatIfReport.RegrettedPlacement;
import io.signalbox.whatif.WhatIfReport.Requests;
import io.signalbox.whatif.WhatIfReport.ScoreTable;
import io.signalbox.whatif.WhatIfReport.SlowerRequest;
import io.signalbox.whatif.WhatIfReport.Start;
import io.signalbox.whatif.WhatIfReport.StepTimes;
import io.signalbox.whatif.WhatIfReport;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The answer to a what-if as text: the figures side by side, then a section for each variant. */
public final class WhatIfText
{
    private static final String ROW = "%-18s%s%n";
    private static final String TABLE = "  %6s  %18s  %14s  %18s  %12s  %10s  %8s%n";
    private static final int DIGITS = 3;
    private static final double PERCENT = 100.0;
    private final PrintStream out;
    private final WhatIfReport report;

    private WhatIfText(final PrintStream out, final WhatIfReport report)
    {
        this.out = out;
        this.report = report;
    }

    public static void print(final PrintStream out, final Path journal, final WhatIfReport report)
    {
        new WhatIfText(out, report).print(journal);
    }

    private void print(final Path journal)
    {
        row("calibration", report.verdict().sentence());
        row("journal", journal + ": " + Decimals.counted(report.recorded().report().requests().submitted(), "request"));
        final Start start = report.recorded().start();
        if (start != null)
        {
            row("start", "at " + seconds(start.fromNanos()) + " s, " + (start.cachedBlocks() == 0 ? "with empty caches" :
                "with the " + Decimals.grouped(start.cachedBlocks()) + " blocks that were cached then") + "; " +
                Decimals.counted(start.begunBefore(), "request") + " that had begun start over");
        }
        row("step times", stepTimes(report.recorded().stepTimes()));
        report.recorded().stepTimes().extrapolated().forEach(clause -> row("extrapolated", "step times: " + clause));
        final Decisions unchanged = report.unchanged().decisions();
        final boolean equal = report.unchanged().decisionDigest().equals(report.recorded().decisionDigest());
        row("unchanged re-run", different(unchanged.different(), unchanged.total()) + " from the record; " +
            (equal ? "every step and every time is equal" : "steps or times differ"));
        if (!equal)
        {
            distribution("end to end off", report.unchanged().latency().e2e());
        }
        report.notRepeated().forEach(sentence -> row("not repeated", sentence));
        experts(report.unchanged(), "experts", "on");
        figures();
        report.variants().forEach(this::variant);
    }

    private void row(final String title, final String text)
    {
        out.printf(ROW, title, text);
    }

    private static String stepTimes(final StepTimes times)
    {
        return times.steps() == 0 ? times.source().equals("given") ? "as given" : "those of the recorded cost model" :
            "fitted to " + Decimals.counted(times.steps(), "step") + " of the journal: median error " +
            Decimals.text(times.medianErrorPercent(), 1) + " %, R² " + Decimals.text(times.explained(), 2) +
            "; the rest is drawn from the recorded errors";
    }

    private static String different(final long different, final long total)
    {
        return Decimals.grouped(different) + " of " + Decimals.grouped(total) + " decisions differ";
    }

    private void figures()
    {
        final List<List<String>> lines = new ArrayList<>();
        final List<String> titles = new ArrayList<>(List.of("",
            report.recorded().start() == null ? "recorded" : "whole record", "unchanged"));
        report.variants().forEach(variant -> titles.add(variant.name()));
        lines.add(titles);
        for (final RunFigure figure : RunFigure.values())
        {
            if (!figure.isIn(report.recorded().report()) && !figure.isIn(report.unchanged().report()) &&
                report.variants().stream().noneMatch(variant -> figure.isIn(variant.report())))
            {
                continue;
            }
            final List<String> line = new ArrayList<>(List.of(FigureTable.title(figure),
                FigureTable.value(figure, report.recorded().report()),
                FigureTable.value(figure, report.unchanged().report())));
            for (final ReRun variant : report.variants())
            {
                line.add(FigureTable.value(figure, variant.report()) +
                    (figure.isTime() && !report.verdict().timesTrusted() ? "" :
                    change(figure.of(report.unchanged().report()), figure.of(variant.report()))));
            }
            lines.add(line);
        }
        out.println();
        TextColumns.print(out, 1, lines);
    }

    private static String change(final double before, final double after)
    {
        if (Double.isNaN(before) || Double.isNaN(after) || before == after)
        {
            return Double.isNaN(before) || Double.isNaN(after) ? "" : " (=)";
        }
        final double percent = before == 0.0 ? Double.NaN : (after - before) / before * PERCENT;
        return Double.isNaN(percent) ? " (new)" : " (" + (percent > 0 ? "+" : "") + Decimals.text(percent, 1) + " %)";
    }

    private void variant(final ReRun variant)
    {
        out.printf("%n%s%n", variant.name());
        variant.changed().forEach((name, change) -> row(
            "  setting", name + ": " + setting(change.before()) + " -> " + setting(change.after())));
        final Decisions decisions = variant.decisions();
        row("  decisions", different(decisions.different(), decisions.total()) + ": " +
            count(decisions.placements(), "placements") + ", " + count(decisions.admissions(), "admissions") + ", " +
            count(decisions.preemptions(), "requests under pressure") + ", " + count(decisions.outcomes(), "outcomes"));
        final Requests requests = variant.requests();
        row("  requests", Decimals.grouped(requests.compared()) + " completed in both: " +
            Decimals.grouped(requests.faster()) + " faster, " + Decimals.grouped(requests.slower()) + " slower, " +
            Decimals.grouped(requests.equal()) + " equal; " + Decimals.grouped(requests.otherRank()) + " elsewhere, " +
            Decimals.grouped(requests.fewerCached()) + " with fewer and " + Decimals.grouped(requests.moreCached()) +
            " with more cached tokens");
        if (requests.onlyBefore() + requests.onlyAfter() + requests.notSubmitted() > 0)
        {
            row("", Decimals.grouped(requests.onlyBefore()) + " completed in the unchanged re-run only, " +
                Decimals.grouped(requests.onlyAfter()) + " here only; " + Decimals.grouped(requests.notSubmitted()) +
                " not submitted, because a predecessor did not complete");
        }
        if (requests.equal() < requests.compared() && report.verdict().timesTrusted())
        {
            distribution("  TTFT", variant.latency().ttft());
            distribution("  end to end", variant.latency().e2e());
        }
        regret(variant.regret());
        experts(variant, "  experts", "  on");
        seeds(variant);
        divergence(decisions.first(), variant.name());
        listed(decisions);
        worst(variant);
        regretted(variant.regret());
    }

    private void regret(final Regret regret)
    {
        final String placements = Decimals.counted(regret.placements(), "placement");
        row("  regret", (regret.tokens() == FoldedMatches.NOT_RECORDED ?
            placements + "; tokens that another rank had cached are not recorded; " :
            Decimals.grouped(regret.lessCached()) + " of " + placements + " gave away " +
                Decimals.counted(regret.tokens(), "token") + " that another rank had cached; ") +
            Decimals.grouped(regret.notLowest()) + " not on the lowest score");
        if (regret.hindsight().count() > 0)
        {
            row("", "in hindsight the best of all runs for " + Decimals.grouped(regret.best()) + " of " +
                Decimals.counted(regret.hindsight().count(), "request") + "; end to end behind the best: mean " +
                Decimals.text(regret.hindsight().meanNanos() / 1e6, DIGITS) + " ms, p99 " +
                millis(regret.hindsight().p99Nanos()) + " ms");
        }
    }

    private void experts(final ReRun run, final String title, final String placed)
    {
        final ExpertFigures experts = run.experts();
        if (experts == null)
        {
            return;
        }
        row(title, Decimals.grouped(experts.tokens()) + " computed tokens with recorded experts, " +
            Decimals.grouped(experts.unrecorded()) + " without");
        if (experts.tokens() == 0)
        {
            return;
        }
        final HotExpert hot = experts.hottest().get(0);
        row("", "busiest: expert " + hot.expert() + " of layer " + hot.layer() + ", " +
            Decimals.text(hot.timesTheMean(), DIGITS) + " times the mean");
        row(placed + " " + experts.devices() + " devices", "busiest over even load: " +
            Decimals.text(experts.inOrder(), DIGITS) + " in order, " +
            Decimals.text(experts.striped(), DIGITS) + " striped, " +
            Decimals.text(experts.ofUnchanged(), DIGITS) + " balanced for the unchanged re-run, " +
            Decimals.text(experts.balanced(), DIGITS) + " balanced for this one");
    }

    private void seeds(final ReRun variant)
    {
        if (!variant.seeds().isEmpty())
        {
            row("  seeds", "each further one delays every arrival by less than " + millis(report.spreadNanos()) +
                " ms; intervals show this arrival jitter only");
        }
        for (final Map.Entry<RunFigure, Estimate> figure : variant.seeds().entrySet())
        {
            final Estimate difference = figure.getValue();
            if (!Double.isNaN(difference.mean()) && (difference.mean() != 0.0 || difference.halfWidth() != 0.0))
            {
                final double unit = figure.getKey().isShare() ? PERCENT : 1.0;
                row("  over seeds", FigureTable.title(figure.getKey()) + ": " + (difference.mean() > 0 ? "+" : "") +
                    Decimals.text(unit * difference.mean(), DIGITS) + " ± " +
                    Decimals.text(unit * difference.halfWidth(), DIGITS));
            }
        }
    }

    private static String setting(final String value)
    {
        return value == null ? "none" : value;
    }

    private static String count(final Count count, final String noun)
    {
        return Decimals.grouped(count.different()) + " of " + Decimals.grouped(count.total()) + " " + noun;
    }

    private void distribution(final String title, final Distribution values)
    {
        if (values.count() > 0)
        {
            row(title, "difference in ms: mean " + Decimals.text(values.meanNanos() / 1e6, DIGITS) + ", min " +
                millis(values.minNanos()) + ", p1 " + millis(values.p1Nanos()) + ", p50 " + millis(values.p50Nanos()) +
                ", p99 " + millis(values.p99Nanos()) + ", max " + millis(values.maxNanos()));
        }
    }

    private static String millis(final long nanos)
    {
        return Decimals.text(nanos / 1e6, DIGITS);
    }

    private static String seconds(final long nanos)
    {
        return Decimals.text(nanos / 1e9, DIGITS);
    }

    private void divergence(final Divergence first, final String name)
    {
        if (first == null)
        {
            return;
        }
        out.printf("%n  First placement that differs: request %s%n", first.requestId());
        table("unchanged", first.before());
        table(name, first.after());
    }

    private void table(final String run, final ScoreTable table)
    {
        if (table == null)
        {
            out.printf("  %s: no table; the request was not placed, or too many were before it%n", run);
            return;
        }
        out.printf("  %s, at %s s: rank %s, tie rule %s%n", run, seconds(table.atNanos()), table.rank(),
            EnumNames.words(table.tieRule()));
        if (!table.candidates().isEmpty())
        {
            out.printf(TABLE, "rank", "score", "new work", "load term", "load tokens", "matched", "active");
        }
        for (final Candidate candidate : table.candidates())
        {
            out.printf(TABLE, candidate.rank() + (candidate.rank() == table.rank() ? " *" : ""),
                Decimals.plain(candidate.score()), Decimals.plain(candidate.newWork()), Decimals.plain(candidate.loadTerm()),
                Decimals.grouped(candidate.loadTokens()), Decimals.recorded(candidate.matchedTokens()),
                Decimals.grouped(candidate.activeRequests()));
        }
    }

    private void listed(final Decisions decisions)
    {
        if (!decisions.list().isEmpty())
        {
            out.printf("%n  Decisions that differ, the first %s of %s:%n", Decimals.grouped(decisions.list().size()),
                Decimals.grouped(decisions.different()));
        }
        for (final ChangedDecision change : decisions.list())
        {
            out.printf("  %10s s  request %-8s  %-10s  %s -> %s%n", seconds(change.atNanos()), change.requestId(),
                change.kind(), change.before(), change.after());
        }
    }

    private void worst(final ReRun variant)
    {
        final List<SlowerRequest> worst = variant.latency().worst();
        if (!worst.isEmpty())
        {
            out.printf("%n  Requests that lose most, end to end in ms:%n");
        }
        for (final SlowerRequest request : worst)
        {
            out.printf("  request %-8s  %12s -> %12s  %s%n", request.requestId(), millis(request.beforeNanos()),
                millis(request.afterNanos()), String.join("; ", request.reasons()));
        }
    }

    private void regretted(final Regret regret)
    {
        if (!regret.worst().isEmpty())
        {
            out.printf("%n  Placements that lose most in hindsight, end to end in ms:%n");
        }
        for (final RegrettedPlacement placement : regret.worst())
        {
            out.printf(
                "  request %-8s  %12s  rank %s instead of %s as in %s; %s cached tokens and a score of %s given away%n",
                placement.requestId(), millis(placement.lostNanos()), placement.rank(), placement.bestRank(),
                placement.bestRun(), Decimals.recorded(placement.tokens()),
                Double.isNaN(placement.score()) ? "?" : Decimals.plain(placement.score()));
        }
    }
}
