// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing.page;

import io.signalbox.printing.Decimals;
import io.signalbox.printing.Printable;
import io.signalbox.report.RunReport.LatencySummary;
import io.signalbox.report.RunReport.Requests;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** A {@link WindowReport} as text. */
public final class WindowText
{
    private static final String LABEL = "%-18s";
    private static final int MOST_RANKS = 64;

    private final PrintStream out;
    private final WindowReport report;

    private WindowText(final PrintStream out, final WindowReport report)
    {
        this.out = out;
        this.report = report;
    }

    /** @param journalEnd how the journal ends, in words. */
    public static void print(final PrintStream out, final WindowReport report, final String journalEnd)
    {
        final WindowText text = new WindowText(out, report);
        text.head();
        text.load();
        text.latency();
        text.ranks();
        text.faults();
        text.bytes();
        text.row("journal's end", journalEnd);
    }

    private void row(final String label, final String words)
    {
        out.printf(LABEL + "%s%n", label, Printable.text(words).replace(PageNumbers.NB, " "));
    }

    private static String seconds(final long nanos)
    {
        return Decimals.text(nanos / 1e9, 3);
    }

    private void head()
    {
        row("window", seconds(report.fromNanos()) + " s to " + seconds(report.toNanos()) + " s, " +
            PageNumbers.duration(report.toNanos() - report.fromNanos()));
        final Requests ends = report.requests();
        final List<String> words = new ArrayList<>();
        add(words, ends.completed(), "completed", true);
        add(words, ends.cancelled(), "cancelled", false);
        add(words, ends.failed(), "failed", true);
        add(words, ends.missedDeadlines(), "missed deadlines", false);
        add(words, ends.abortedByNewWeights(), "aborted by new weights", false);
        add(words, ends.refused(), "refused", false);
        add(words, ends.unfinished(), "unfinished", false);
        row("requests", Decimals.grouped(ends.submitted()) + " submitted: " + String.join(", ", words));
        if (report.goodput() != null)
        {
            row("goodput", PageNumbers.digits(report.goodput().requestsPerSecond()) + " requests/s: " +
                Decimals.grouped(report.goodput().requests()) + " of " +
                Decimals.counted(report.goodput().counted(), "request") + " within the limits" +
                (report.goodput().counted() == 0 ? "" : ", " + PageNumbers.percent(report.goodput().share())));
        }
    }

    private static void add(final List<String> words, final long count, final String end, final boolean always)
    {
        if (count > 0 || always)
        {
            words.add(Decimals.grouped(count) + " " + end);
        }
    }

    private void load()
    {
        final WindowReport.Load load = report.load();
        row("load", PageNumbers.digits(load.arrivalsPerSecond()) + " requests/s arrived, " +
            PageNumbers.digits(load.completionsPerSecond()) + " completed; " +
            PageNumbers.digits(load.outputTokensPerSecond(), 4) + " output tokens/s");
        row("waiting", load.mostWaiting() == 0 ? "no request waited" : "at most " +
            Decimals.counted(load.mostWaiting(), "request") + ", at " + seconds(load.mostWaitingNanos()) + " s; mean " +
            PageNumbers.digits(load.meanWaiting()));
        if (load.queuedNanos() > 0)
        {
            row("capacity", "while requests waited, for " + PageNumbers.duration(load.queuedNanos()) + ": " +
                PageNumbers.digits(load.queuedArrivalsPerSecond()) + " requests/s arrived, " +
                PageNumbers.digits(load.capacityPerSecond()) + " completed");
        }
    }

    private void latency()
    {
        out.printf("%n" + LABEL + " %11s %11s %11s %11s %11s%n", "latency, ms", "mean", "p50", "p90", "p99", "max");
        latency("TTFT", report.latency().ttft());
        latency("TPOT", report.latency().tpot());
        latency("end to end", report.latency().e2e());
    }

    private void latency(final String name, final LatencySummary summary)
    {
        out.printf(LABEL + " %11s %11s %11s %11s %11s%n", name, milliseconds(summary.meanNanos()),
            milliseconds(summary.p50Nanos()), milliseconds(summary.p90Nanos()), milliseconds(summary.p99Nanos()),
            milliseconds(summary.maxNanos()));
    }

    private static String milliseconds(final Number nanos)
    {
        return nanos == null || Double.isNaN(nanos.doubleValue()) ? PageNumbers.NO_DATA :
            Decimals.text(nanos.doubleValue() / 1e6, 2);
    }

    private void ranks()
    {
        out.printf("%n" + LABEL + " %11s %11s %11s %11s %11s%n", "rank", "requests", "hits", "busy", "KV in use", "lost, s");
        for (final WindowReport.WindowRank rank : report.ranks().stream().limit(MOST_RANKS).toList())
        {
            out.printf(LABEL + " %11s %11s %11s %11s %11s%n", rank.rank(), Decimals.grouped(rank.requests()),
                share(rank.hitRate()), share(rank.busy()), share(rank.kvUse()), rank.losses() == 0 ? PageNumbers.NO_DATA :
                    seconds(rank.downNanos()));
        }
        if (report.ranks().size() > MOST_RANKS)
        {
            row("", Decimals.grouped(report.ranks().size() - MOST_RANKS) + " more ranks; --json has them");
        }
        out.printf("%n");
    }

    private static String share(final double value)
    {
        return Double.isNaN(value) ? PageNumbers.NO_DATA : Decimals.text(value * 100, 2) + " %";
    }

    private void faults()
    {
        final WindowReport.WindowFaults faults = report.faults();
        if (faults.isEmpty())
        {
            row("faults", "none; no preemptions");
            return;
        }
        final List<String> words = new ArrayList<>();
        final long[] counts = {faults.failedSteps(), faults.timedOutSteps(), faults.lostRanks(), faults.resets(),
            faults.restarts(), faults.newWeights(), faults.requeued(), faults.preemptions()};
        final String[] nouns = {"failed step", "timed-out step", "lost rank", "reset", "engine restart", "weight change",
            "request restart", "preemption"};
        for (int i = 0; i < counts.length; i++)
        {
            if (counts[i] > 0)
            {
                words.add(Decimals.counted(counts[i], nouns[i]));
            }
        }
        row("faults", String.join(", ", words));
        final String givenUp = String.join(", ", report.ranks().stream().filter(WindowReport.WindowRank::givenUp)
            .map(rank -> Integer.toString(rank.rank())).toList());
        if (!givenUp.isEmpty())
        {
            row("given up", "rank " + givenUp);
        }
        for (final WindowReport.WindowEvent event : report.events())
        {
            row("  at " + seconds(event.timeNanos()) + " s", event.what() + ", record " +
                Decimals.grouped(event.record()) + (event.requeued() == 0 ? "" : "; " +
                Decimals.counted(event.requeued(), "request") + " started over"));
        }
    }

    private void bytes()
    {
        if (report.rows() != null)
        {
            row("routed experts", Decimals.counted(report.rows().captured(), "row") + " captured, " +
                Decimals.grouped(report.rows().inherited()) + " inherited, " + Decimals.grouped(report.rows().missing()) +
                " missing");
        }
        final WindowReport.WindowBytes bytes = report.bytes();
        if (bytes.all() > 0)
        {
            row("journal", Decimals.bytes(bytes.all()) + ", " + PageNumbers.percent(bytes.rowShare()) + " of it rows; " +
                (Double.isNaN(bytes.perRequest()) ? "" : Decimals.bytes((long)bytes.perRequest()) + " per request, ") +
                Decimals.bytes((long)bytes.perDay()) + " per day");
        }
    }
}
