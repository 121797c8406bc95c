// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.event.CommitView;
import io.signalbox.event.CompletionView;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.BackendFaultDecoder;
import io.signalbox.event.codec.BackendResetDecoder;
import io.signalbox.event.codec.ContinuedDecoder;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.FreeReason;
import io.signalbox.event.codec.NewWeightsDecoder;
import io.signalbox.event.codec.PausedDecoder;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.event.codec.RequeuedDecoder;
import io.signalbox.event.codec.StepTimedOutDecoder;
import io.signalbox.event.codec.WithdrawnDecoder;
import io.signalbox.inspect.RequestInspection.JournalEnd;
import io.signalbox.journal.JournalReader;
import io.signalbox.journal.ReadProgress;
import io.signalbox.journal.StateStart;
import io.signalbox.state.FoldedState;
import io.signalbox.state.RankState;
import io.signalbox.state.RunFold;
import io.signalbox.state.RunListener;
import io.signalbox.state.RunRequest;
import io.signalbox.state.RunStep;
import org.agrona.collections.LongArrayList;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Hands out the timeline of a journal in one pass: steps of ranks, what happened to requests and ranks, and how full caches
 * were. Holds the ids of live requests and the steps in flight.
 */
public final class Timeline implements RunListener
{
    private final TimelineReceiver receiver;
    private final TimeWindow window;
    private final RankLine[] ranks;
    /** Requests that have their first token from the step that the current group commits. */
    private final LongArrayList begun = new LongArrayList();
    private long nowNanos;
    private long computeNanos;
    /** The step that the current group commits, which requests may yet end by; {@code null}: none. */
    private Landed landed;

    /** A step in flight, or between its commit and the end of the group. */
    private record Flight(long step, long plannedNanos, LongArrayList requests)
    {
    }

    private record Landed(int rank, Flight flight, long beginNanos, int entries, int tokens)
    {
    }

    private static final class RankLine
    {
        private long blocksInUse;
        private final List<Flight> flights = new ArrayList<>();
        private long running;
        private long freeFromNanos = Long.MIN_VALUE;

        /** @return {@code null} if no such step is in flight. */
        private Flight take(final long step)
        {
            for (int i = 0; i < flights.size(); i++)
            {
                if (flights.get(i).step == step)
                {
                    return flights.remove(i);
                }
            }
            return null;
        }
    }

    private Timeline(final JournalReader reader, final TimelineReceiver receiver, final TimeWindow window)
    {
        this.receiver = receiver;
        this.window = window;
        ranks = new RankLine[reader.ranks()];
        Arrays.setAll(ranks, rank -> new RankLine());
    }

    /**
     * Reads a journal that is closed, was not closed, or is being written: then up to the last group that is whole.
     *
     * @param window what is handed out: steps that land in it, and marks and figures in it.
     * @throws io.signalbox.journal.JournalException if the journal is damaged.
     */
    public static JournalEnd read(
        final Path directory, final TimelineReceiver receiver, final TimeWindow window, final ReadProgress progress)
    {
        try (StateStart start = StateStart.of(directory, progress))
        {
            return read(directory, start, receiver, window);
        }
    }

    static JournalEnd read(
        final Path directory, final StateStart start, final TimelineReceiver receiver, final TimeWindow window)
    {
        final Timeline timeline = new Timeline(start.reader(), receiver, window);
        receiver.onRun(timeline.ranks.length);
        final RunFold fold = RunFold.of(timeline).behind(start.state());
        for (int rank = 0; rank < timeline.ranks.length && start.state() != null; rank++)
        {
            timeline.figures(rank);
        }
        final JournalEnd end = GroupCollector.read(directory, start.reader(),
            groups -> fold.onGroup(groups.group(), 0, groups.groupLength(), groups.timeNanos()));
        receiver.onEnd(timeline.openSteps());
        return end;
    }

    private long openSteps()
    {
        return Arrays.stream(ranks).flatMap(rank -> rank.flights.stream())
            .filter(flight -> window.has(flight.plannedNanos)).count();
    }

    /** Steps in flight are handed out when they land, without the requests that they admitted. */
    @Override
    public void onState(final FoldedState state)
    {
        nowNanos = state.timeNanos();
        for (int i = 0; i < ranks.length; i++)
        {
            final RankLine rank = ranks[i];
            final RankState was = state.rank(i);
            rank.running = was.running().size();
            was.open().forEach(
                step -> rank.flights.add(new Flight(step.step(), step.plannedNanos(), new LongArrayList())));
        }
    }

    @Override
    public void onGroup(final long timeNanos)
    {
        nowNanos = timeNanos;
    }

    @Override
    public void onGroupEnd()
    {
        if (landed != null)
        {
            if (window.has(nowNanos))
            {
                receiver.onStep(landed.rank, landed.flight.step, landed.beginNanos, nowNanos, landed.entries, landed.tokens,
                    landed.flight.requests);
            }
            landed = null;
        }
    }

    @Override
    public void onBlocksInUse(final int rank, final int blocksInUse, final int change)
    {
        ranks[rank].blocksInUse = blocksInUse;
    }

    @Override
    public void onFirstToken(final RunRequest request)
    {
        begun.addLong(request.id());
    }

    private void mark(final int rank, final String name, final long requestId)
    {
        if (window.has(nowNanos))
        {
            receiver.onMark(rank, nowNanos, name, requestId);
        }
    }

    private void figures(final int rank)
    {
        if (window.has(nowNanos))
        {
            receiver.onFigures(rank, nowNanos, ranks[rank].blocksInUse, ranks[rank].running);
        }
    }

    @Override
    public void onAccepted(final RunRequest request)
    {
        mark(TimelineReceiver.NO_RANK, "submit " + request.id(), request.id());
    }

    @Override
    public void onRefused(final RunRequest request, final RefusedDecoder answer)
    {
        mark(TimelineReceiver.NO_RANK, "refused " + answer.requestId() + ": " + JournalQuery.label(answer.reason()),
            TimelineReceiver.NO_REQUEST);
    }

    @Override
    public void onStep(final StepView plan)
    {
        final RankLine rank = ranks[plan.rank()];
        final LongArrayList requests = new LongArrayList();
        for (int i = 0; i < plan.admittedCount(); i++)
        {
            requests.addLong(plan.admittedRequestId(i));
        }
        rank.running += plan.admittedCount();
        rank.flights.add(new Flight(plan.step(), nowNanos, requests));
        if (plan.admittedCount() + plan.changeCount() > 0)
        {
            figures(plan.rank());
        }
    }

    @Override
    public void onCompletion(final CompletionView completion)
    {
        computeNanos = completion.computeNanos();
    }

    @Override
    public void onLanded(final RunStep counts, final CommitView step)
    {
        final RankLine rank = ranks[step.rank()];
        final Flight flight = rank.take(step.step());
        if (flight == null)
        {
            return;
        }
        begun.forEachLong(request -> addOnce(flight.requests, request));
        begun.clear();
        final long computed = computeNanos > 0 ? nowNanos - computeNanos : flight.plannedNanos;
        final long begin = Math.min(nowNanos, Math.max(computed, rank.freeFromNanos));
        rank.freeFromNanos = nowNanos;
        landed = new Landed(step.rank(), flight, begin, step.entryCount(), counts.computedTokens());
    }

    private static void addOnce(final LongArrayList requests, final long requestId)
    {
        if (!requests.containsLong(requestId))
        {
            requests.addLong(requestId);
        }
    }

    @Override
    public void onEnded(final RunRequest request, final FreeDecoder end)
    {
        final long id = end.requestId();
        final boolean isOfStep = landed != null && landed.rank == end.rank();
        if (isOfStep)
        {
            addOnce(landed.flight.requests, id);
        }
        if (end.reason() != FreeReason.LENGTH && end.reason() != FreeReason.STOP)
        {
            mark(end.rank(), JournalQuery.label(end.reason()) + " " + id, id);
        }
        if (end.rank() >= 0)
        {
            release(end.rank(), end);
        }
    }

    /** A request that ends between two steps may have no blocks, and then it does not run. */
    private void release(final int rank, final FreeDecoder end)
    {
        ranks[rank].running -= end.released().count() > 0 ? 1 : 0;
        figures(rank);
    }

    @Override
    public void onRequeued(final RunRequest request, final RequeuedDecoder requeued)
    {
        final int rank = requeued.rank();
        mark(rank, JournalQuery.label(requeued.reason()) + " " + requeued.requestId(), requeued.requestId());
        ranks[rank].running--;
        figures(rank);
    }

    @Override
    public void onPaused(final RunRequest request, final PausedDecoder paused)
    {
        mark(paused.rank(), "paused " + paused.requestId(), paused.requestId());
    }

    @Override
    public void onContinued(final RunRequest request, final ContinuedDecoder continued)
    {
        mark(continued.rank(), "continued " + continued.requestId(), continued.requestId());
    }

    @Override
    public void onFault(final BackendFaultDecoder fault)
    {
        mark(fault.rank(), "fault: " + JournalQuery.label(fault.faultClass()), TimelineReceiver.NO_REQUEST);
    }

    @Override
    public void onTimedOut(final StepTimedOutDecoder fault)
    {
        mark(fault.rank(), "step " + fault.step() + " timed out", TimelineReceiver.NO_REQUEST);
    }

    @Override
    public void onWithdrawn(final RunStep landed, final WithdrawnDecoder withdrawn)
    {
        ranks[withdrawn.rank()].take(withdrawn.step());
        mark(withdrawn.rank(), "withdrawn step " + withdrawn.step() + ": " + JournalQuery.label(withdrawn.cause()),
            TimelineReceiver.NO_REQUEST);
    }

    @Override
    public void onReset(final BackendResetDecoder reset)
    {
        mark(reset.rank() < 0 ? TimelineReceiver.NO_RANK : reset.rank(), "reset, epoch " + reset.newEpoch(),
            TimelineReceiver.NO_REQUEST);
    }

    @Override
    public void onNewWeights(final NewWeightsDecoder change)
    {
        mark(TimelineReceiver.NO_RANK, "new weights, generation " + change.weightGeneration(),
            TimelineReceiver.NO_REQUEST);
    }
}
