// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing.page;

import io.signalbox.inspect.RequestInspection.JournalEnd;
import io.signalbox.inspect.history.Happening;
import io.signalbox.inspect.history.PastRequest;
import io.signalbox.inspect.history.RunHistory;
import io.signalbox.inspect.history.RunTotals;
import io.signalbox.report.RunReport.LatencySummary;
import io.signalbox.report.RunReport.Requests;
import io.signalbox.report.ServiceLevel;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;

/** Makes the {@link WindowReport} of a history. */
public final class WindowFigures
{
    private static final double SECONDS_PER_DAY = 86_400;

    private final RunFigures run;
    private final RunHistory history;
    private final ServiceLevel level;
    private final Incidents incidents;

    /** @param level limits of goodput; {@code null}: none. */
    public WindowFigures(final RunHistory history, final ServiceLevel level)
    {
        this.history = history;
        this.level = level;
        run = new RunFigures(history, level);
        incidents = new Incidents(run);
    }

    /**
     * @param isSimulated whether the journal says nothing of the rate at which this disk fills.
     * @param freeBytes   free bytes of the disk of the journal.
     */
    public WindowReport report(
        final Path journal, final JournalEnd end, final boolean isSimulated, final long freeBytes)
    {
        final WindowReport.WindowBytes bytes = bytes();
        return new WindowReport(journal, history.originNanos(), history.endNanos(), requests(),
            new WindowReport.WindowLatencies(summary(PastRequest::ttftNanos), summary(PastRequest::tpotNanos),
                summary(request -> request.isCompleted() ? request.totalNanos() : PastRequest.NONE)),
            level == null ? null : goodput(), load(), ranks(), faults(), events(),
            WindowReport.WindowRows.of(history.totals()), bytes,
            isSimulated ? null : new WindowReport.Disk(freeBytes, freeBytes / bytes.perDay()), end);
    }

    private long count(final String end)
    {
        return history.requests().stream().filter(request -> request.end().equals(end)).count();
    }

    private Requests requests()
    {
        return new Requests(history.requests().size(), count("length") + count("stop"), count("cancelled"),
            count("deadline"), count("new-weights"), count("failed"),
            history.requests().stream().filter(request -> request.end().startsWith("refused")).count(),
            count("unfinished"), null, null);
    }

    private LatencySummary summary(final ToLongFunction<PastRequest> time)
    {
        final long[] sorted =
            history.requests().stream().mapToLong(time).filter(nanos -> nanos >= 0).sorted().toArray();
        return sorted.length == 0 ? new LatencySummary(0, Double.NaN, null, null, null, null) :
            new LatencySummary(sorted.length, Arrays.stream(sorted).average().orElseThrow(),
                (long)RunFigures.quantile(sorted, 0.5), (long)RunFigures.quantile(sorted, 0.9),
                (long)RunFigures.quantile(sorted, 0.99), sorted[sorted.length - 1]);
    }

    private WindowReport.WindowGoodput goodput()
    {
        final long within = history.requests().stream().filter(request -> request.isWithin(level)).count();
        final long counted = history.requests().stream().filter(PastRequest::isCounted).count();
        return new WindowReport.WindowGoodput(within, counted, (double)within / counted, within / run.seconds());
    }

    private WindowReport.Load load()
    {
        final RunTotals totals = history.totals();
        final double queued = totals.queuedNanos() / RunFigures.NANOS_PER_SECOND;
        return new WindowReport.Load(history.requests().size() / run.seconds(), totals.completed() / run.seconds(),
            total(RunHistory.EMITTED) / run.seconds(),
            total(RunHistory.WAITING) / RunFigures.NANOS_PER_SECOND / run.seconds(), history.mostWaiting(),
            history.mostWaitingNanos(), totals.queuedNanos(), queued == 0 ? Double.NaN : totals.queuedArrivals() / queued,
            queued == 0 ? Double.NaN : totals.queuedCompletions() / queued);
    }

    private double total(final int row)
    {
        double sum = 0;
        final double[] sums = run.rates.sums(row);
        for (int i = 0; i < sums.length; i++)
        {
            sum += sums[i] * run.rates.length(i);
        }
        return sum;
    }

    private List<WindowReport.WindowRank> ranks()
    {
        final List<WindowReport.WindowRank> ranks = new ArrayList<>();
        for (int i = 0; i < history.ranks(); i++)
        {
            final int rank = i;
            final List<PastRequest> requests =
                history.requests().stream().filter(request -> request.rank() == rank).toList();
            final List<Incidents.Down> downs =
                incidents.downs().stream().filter(down -> down.rank() == rank).toList();
            final double down = downs.stream().mapToDouble(lost -> lost.to() - lost.from()).sum();
            final double whole = RunFigures.NANOS_PER_SECOND * run.seconds();
            ranks.add(new WindowReport.WindowRank(rank, requests.size(), RunFigures.hitRate(requests),
                StrictMath.round(total(RunHistory.tokens(rank))), total(RunHistory.computed(rank)) / whole,
                total(RunHistory.blocks(rank)) / whole / history.blocksPerRank(), downs.size(),
                StrictMath.round(down * RunFigures.NANOS_PER_SECOND), history.happenings().stream().anyMatch(happening ->
                happening.kind() == Happening.Kind.RANK_GIVEN_UP && happening.rank() == rank)));
        }
        return ranks;
    }

    private long happened(final Happening.Kind kind)
    {
        return history.happenings().stream().filter(happening -> happening.kind() == kind).count();
    }

    private WindowReport.WindowFaults faults()
    {
        return new WindowReport.WindowFaults(happened(Happening.Kind.STEP_FAILED), happened(Happening.Kind.STEP_TIMED_OUT),
            incidents.downs().stream().mapToInt(Incidents.Down::rank).distinct().count(), happened(Happening.Kind.RESET),
            happened(Happening.Kind.RESTART), happened(Happening.Kind.NEW_WEIGHTS), history.requeues().size(),
            StrictMath.round(total(RunHistory.PREEMPTED)));
    }

    private List<WindowReport.WindowEvent> events()
    {
        return incidents.found().stream().map(incident -> new WindowReport.WindowEvent(nanos(incident.from()),
            nanos(incident.to()), incident.record(), incident.what(), incident.restarted().size(),
            incident.arrived().size())).toList();
    }

    private long nanos(final double second)
    {
        return history.originNanos() + StrictMath.round(second * RunFigures.NANOS_PER_SECOND);
    }

    private WindowReport.WindowBytes bytes()
    {
        final long all = history.totals().bytes();
        final long rows = history.totals().rowBytes();
        final int requests = history.requests().size();
        return new WindowReport.WindowBytes(all, rows, (double)rows / all,
            requests == 0 ? Double.NaN : (double)all / requests, all / run.seconds() * SECONDS_PER_DAY);
    }
}
