// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing.page;

import io.signalbox.inspect.history.Happening;
import io.signalbox.inspect.history.PastRequest;
import io.signalbox.inspect.history.Requeue;
import io.signalbox.inspect.history.RunHistory;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Groups what happened to ranks and weights into the events that a page marks, and finds what each did to requests. */
final class Incidents
{
    /** A page has one letter for each. */
    static final int MOST = 26;
    /** Happenings closer than this part of the run are one event. */
    private static final double TOGETHER = 1.0 / 1000;
    private static final double USUAL = 0.9;

    private final RunFigures run;
    private final double together;
    private final List<Down> downs = new ArrayList<>();
    private final List<Draft> drafts = new ArrayList<>();
    private int leftOut;

    /**
     * A time without a rank.
     *
     * @param from   seconds from the origin.
     * @param record record of the fault.
     * @param isOpen whether the rank had not come back at the end.
     */
    record Down(int rank, double from, double to, long record, boolean isOpen)
    {
    }

    private static final class Draft
    {
        private final Incident.Kind kind;
        private final double from;
        private final long record;
        private final String detail;
        private final TreeSet<Integer> ranks = new TreeSet<>();
        private double to;
        private int count = 1;
        private boolean isOpen;

        private Draft(final Incident.Kind kind, final double at, final long record, final String detail)
        {
            this.kind = kind;
            from = at;
            to = at;
            this.record = record;
            this.detail = detail;
        }
    }

    Incidents(final RunFigures run)
    {
        this.run = run;
        together = run.seconds() * TOGETHER;
        findDowns();
        draftLosses();
        run.history().happenings().forEach(this::draft);
        drafts.sort(Comparator.<Draft>comparingDouble(draft -> draft.from).thenComparing(draft -> draft.record));
    }

    List<Down> downs()
    {
        return downs;
    }

    /** Events beyond the letters of the page. */
    int leftOut()
    {
        return leftOut;
    }

    private void findDowns()
    {
        final Map<Integer, Happening> open = new HashMap<>();
        for (final Happening happening : run.history().happenings())
        {
            switch (happening.kind())
            {
                case RANK_LOST, RANK_GIVEN_UP -> open.putIfAbsent(happening.rank(), happening);
                case RESET, RESTART -> List.copyOf(open.keySet()).stream()
                    .filter(rank -> happening.rank() < 0 || happening.rank() == rank)
                    .forEach(rank -> down(open.remove(rank), run.second(happening.timeNanos()), false));
                default ->
                {
                }
            }
        }
        open.values().forEach(lost -> down(lost, run.seconds(), true));
        downs.sort(Comparator.comparingDouble(Down::from).thenComparing(Down::rank));
    }

    private void down(final Happening lost, final double to, final boolean isOpen)
    {
        // A rank may have been lost before the history begins.
        downs.add(new Down(lost.rank(), Math.max(0, run.second(lost.timeNanos())), to, lost.record(), isOpen));
    }

    private void draftLosses()
    {
        Draft last = null;
        for (final Down down : downs)
        {
            if (last == null || down.from > Math.max(last.to, last.from + together))
            {
                last = new Draft(Incident.Kind.LOST, down.from, down.record, "");
                drafts.add(last);
            }
            last.ranks.add(down.rank);
            last.count += down.from - last.from > together ? 1 : 0;
            last.to = Math.max(last.to, down.to);
            last.isOpen |= down.isOpen;
        }
    }

    private void draft(final Happening happening)
    {
        final Incident.Kind kind = switch (happening.kind())
        {
            case STEP_FAILED -> Incident.Kind.FAILED;
            case STEP_TIMED_OUT -> Incident.Kind.TIMED_OUT;
            case RESTART -> Incident.Kind.RESTART;
            case NEW_WEIGHTS -> Incident.Kind.NEW_WEIGHTS;
            case RANK_LOST, RANK_GIVEN_UP, RESET -> null;
        };
        if (kind == null)
        {
            return;
        }
        final double at = run.second(happening.timeNanos());
        for (int i = drafts.size() - 1; i >= 0; i--)
        {
            final Draft draft = drafts.get(i);
            if (draft.kind == kind && at - draft.to <= 3 * together && draft.detail.equals(happening.detail()) &&
                (happening.rank() < 0 || draft.ranks.contains(happening.rank())))
            {
                draft.to = at;
                draft.count++;
                return;
            }
        }
        final Draft draft = new Draft(kind, at, happening.record(), happening.detail());
        if (happening.rank() >= 0)
        {
            draft.ranks.add(happening.rank());
        }
        drafts.add(draft);
    }

    List<Incident> found()
    {
        final double[] waiting = run.levels.means(RunHistory.WAITING);
        final double[] running = run.levels.means(RunHistory.RUNNING);
        leftOut = Math.max(0, drafts.size() - MOST);
        final List<Incident> found = new ArrayList<>();
        for (final Draft draft : drafts.subList(0, Math.min(MOST, drafts.size())))
        {
            found.add(incident((char)('A' + found.size()), draft, waiting, running));
        }
        return found;
    }

    private Incident incident(final char letter, final Draft draft, final double[] waiting, final double[] running)
    {
        final double calm = draft.kind == Incident.Kind.LOST ? calm(draft.to, waiting, running) : draft.to;
        final List<PastRequest> arrived = run.history().requests().stream()
            .filter(request -> run.submitted(request) >= draft.from && run.submitted(request) < calm).toList();
        final List<Long> restarted = run.history().requeues().stream()
            .filter(requeue -> run.second(requeue.timeNanos()) >= draft.from &&
                run.second(requeue.timeNanos()) <= draft.to + together &&
                (draft.ranks.isEmpty() || draft.ranks.contains(requeue.rank())))
            .map(Requeue::requestId).distinct().toList();
        final int from = run.levels.bin(draft.from);
        final double most = RunFigures.max(Arrays.copyOfRange(waiting, from, Math.max(from, run.levels.bin(calm)) + 1));
        return new Incident(String.valueOf(letter), draft.kind, draft.from, draft.to, calm, draft.ranks, draft.record,
            draft.count, draft.detail, restarted, arrived, most, draft.isOpen);
    }

    /** When waiting and running requests are no more than in nine of ten intervals. */
    private double calm(final double to, final double[] waiting, final double[] running)
    {
        final double usualWaiting = usual(waiting);
        final double usualRunning = usual(running);
        int bin = run.levels.bin(to);
        while (bin < waiting.length && (waiting[bin] > usualWaiting || running[bin] > usualRunning))
        {
            bin++;
        }
        return Math.max(to, Math.min(run.seconds(), bin * run.levels.width));
    }

    private static double usual(final double[] level)
    {
        final double[] sorted = level.clone();
        Arrays.sort(sorted);
        return sorted[(int)Math.min(sorted.length - 1, USUAL * sorted.length)];
    }
}
