// SPDX-License-Identifier: Apache-2.0
package io.signalbox.stats;

import io.signalbox.event.CommitView;
import io.signalbox.event.EventReader;
import io.signalbox.event.GroupReader;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.AcceptedDecoder;
import io.signalbox.event.codec.BackendResetDecoder;
import io.signalbox.event.codec.ContinuedDecoder;
import io.signalbox.event.codec.DecidingRouter;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.FreeReason;
import io.signalbox.event.codec.MatchGate;
import io.signalbox.event.codec.PausedDecoder;
import io.signalbox.event.codec.PlacedDecoder;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.event.codec.RequeueReason;
import io.signalbox.event.codec.RequeuedDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.event.codec.WithdrawalCause;
import io.signalbox.event.codec.WithdrawnDecoder;
import org.agrona.DirectBuffer;
import org.agrona.collections.Long2LongHashMap;
import org.agrona.collections.Long2ObjectHashMap;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Counts {@link EngineStats} from the groups of one engine, or of its journal. One thread gives the groups, any thread asks
 * for the figures; it waits for the group that is being counted, and sorts the latencies beside the next ones.
 * Without garbage once as many requests were alive as ever are.
 */
public final class LiveFigures
{
    private static final long NO_STEP = -1;

    /** Taken once per group, and hardly ever contended. */
    private final ReentrantLock lock = new ReentrantLock();
    private final int blockSizeTokens;
    private final int poolBlocks;
    private final int rowBytes;
    private final Events events = new Events();
    private final Long2ObjectHashMap<FollowedRequest> live = new Long2ObjectHashMap<>();
    private final ArrayDeque<FollowedRequest> spare = new ArrayDeque<>();
    private final FollowedRank[] ranks;
    /** Tokens of each step in flight, by rank and step number. */
    private final Long2LongHashMap[] flights;
    private final long[] counts = new long[Count.values().length];
    private final LatencyFigure timeToFirstToken = new LatencyFigure();
    private final LatencyFigure interTokenLatency = new LatencyFigure();
    private final LatencyFigure endToEnd = new LatencyFigure();
    private final LatencyFigure queueTime = new LatencyFigure();
    private long nowNanos;

    private enum Count
    {
        RUNNING, PAUSED, ACCEPTED, REFUSED, COMPLETED, CANCELLED, FAILED, PREEMPTIONS, RESTARTS,
        STEPS_IN_FLIGHT, COMMITTED, WITHDRAWN, COMPUTED_TOKENS, GENERATED_TOKENS, TOKENS_IN_FLIGHT,
        QUERIED_TOKENS, HIT_TOKENS, CAPTURED, INHERITED, MISSING, REJECTED, BY_ROUTER, BY_FALLBACK, GATE_CLOSED
    }

    /**
     * @param kvBlocks of each rank, the dummy block included.
     * @param rowBytes of one token's routed experts; 0 without capture.
     */
    public LiveFigures(final int rankCount, final int kvBlocks, final int blockSizeTokens, final int rowBytes)
    {
        this.blockSizeTokens = blockSizeTokens;
        this.rowBytes = rowBytes;
        poolBlocks = kvBlocks - 1;
        ranks = new FollowedRank[rankCount];
        Arrays.setAll(ranks, rank -> new FollowedRank());
        flights = new Long2LongHashMap[rankCount];
        Arrays.setAll(flights, rank -> new Long2LongHashMap(NO_STEP));
    }

    /** Counts one group; from one thread at a time. */
    public void onGroup(final DirectBuffer group, final int offset, final int length)
    {
        lock.lock();
        try
        {
            nowNanos = Math.max(nowNanos, GroupReader.inputTimeNanos(group, offset, length));
            events.readGroup(group, offset, length);
        }
        finally
        {
            lock.unlock();
        }
    }

    /** The figures up to the last group. */
    public synchronized EngineStats stats(final EngineStats.Rings rings)
    {
        final EngineStats.Requests requests;
        final EngineStats.Steps steps;
        final EngineStats.PrefixCache prefixCache;
        final EngineStats.Rows rows;
        final EngineStats.Placements placements;
        final List<EngineStats.Rank> rankStats;
        lock.lock();
        try
        {
            requests = requests();
            steps = steps();
            prefixCache = new EngineStats.PrefixCache(of(Count.QUERIED_TOKENS), of(Count.HIT_TOKENS));
            rows = rows();
            placements = new EngineStats.Placements(of(Count.BY_ROUTER), of(Count.BY_FALLBACK), of(Count.GATE_CLOSED));
            rankStats = Arrays.stream(ranks).map(rank -> rank.stats(poolBlocks)).toList();
            timeToFirstToken.turn();
            interTokenLatency.turn();
            endToEnd.turn();
            queueTime.turn();
        }
        finally
        {
            lock.unlock();
        }
        return new EngineStats(requests, steps, prefixCache, rows, placements, rankStats, timeToFirstToken.latency(),
            interTokenLatency.latency(), endToEnd.latency(), queueTime.latency(), rings);
    }

    private EngineStats.Requests requests()
    {
        return new EngineStats.Requests(of(Count.RUNNING), live.size() - of(Count.RUNNING), of(Count.PAUSED),
            of(Count.ACCEPTED), of(Count.REFUSED), of(Count.COMPLETED), of(Count.CANCELLED), of(Count.FAILED),
            of(Count.PREEMPTIONS), of(Count.RESTARTS));
    }

    private EngineStats.Steps steps()
    {
        return new EngineStats.Steps(of(Count.STEPS_IN_FLIGHT), of(Count.COMMITTED), of(Count.WITHDRAWN),
            of(Count.COMPUTED_TOKENS), of(Count.GENERATED_TOKENS), of(Count.TOKENS_IN_FLIGHT),
            of(Count.TOKENS_IN_FLIGHT) * rowBytes);
    }

    private EngineStats.Rows rows()
    {
        return new EngineStats.Rows(of(Count.CAPTURED), of(Count.INHERITED), of(Count.MISSING), of(Count.REJECTED));
    }

    private long of(final Count count)
    {
        return counts[count.ordinal()];
    }

    private void add(final Count count, final long by)
    {
        counts[count.ordinal()] += by;
    }

    /** The events that change a figure. */
    private final class Events extends EventReader
    {
        private int promptTokens;

        @Override
        protected void onSubmit(final SubmitDecoder request)
        {
            promptTokens = request.promptTokens();
        }

        @Override
        protected void onAccepted(final AcceptedDecoder answer)
        {
            add(Count.ACCEPTED, 1);
            final FollowedRequest request = spare.isEmpty() ? new FollowedRequest() : spare.pop();
            request.accepted(nowNanos, promptTokens);
            live.put(answer.requestId(), request);
        }

        @Override
        protected void onRefused(final RefusedDecoder answer)
        {
            add(Count.REFUSED, 1);
        }

        @Override
        protected void onPlaced(final PlacedDecoder decision)
        {
            add(decision.decidedBy() == DecidingRouter.FALLBACK ? Count.BY_FALLBACK : Count.BY_ROUTER, 1);
            add(Count.GATE_CLOSED, decision.gate() == MatchGate.CLOSED ? 1 : 0);
        }

        @Override
        protected void onSchedule(final StepView plan)
        {
            flights[plan.rank()].put(plan.step(), plan.tokens());
            add(Count.STEPS_IN_FLIGHT, 1);
            add(Count.TOKENS_IN_FLIGHT, plan.tokens());
            for (int i = 0; i < plan.admittedCount(); i++)
            {
                admit(live.get(plan.admittedRequestId(i)), plan, i);
            }
            for (int i = 0; i < plan.copyCount(); i++)
            {
                final boolean first = live.get(plan.copyRequestId(i)).firstStep == plan.step();
                add(Count.HIT_TOKENS, first ? plan.copyTokens(i) : 0);
            }
            for (int i = 0; i < plan.changeCount(); i++)
            {
                ranks[plan.rank()].hold(live.get(plan.changeRequestId(i)), plan.changeBlockId(i));
            }
        }

        @Override
        protected void onCommit(final CommitView commit)
        {
            land(commit.rank(), commit.step(), Count.COMMITTED);
            for (int entry = 0; entry < commit.entryCount(); entry++)
            {
                add(Count.COMPUTED_TOKENS, commit.advance(entry));
                final int emitted = commit.emitted(entry);
                if (emitted > 0)
                {
                    emit(live.get(commit.requestId(entry)), emitted);
                }
            }
        }

        @Override
        protected void onWithdrawn(final WithdrawnDecoder withdrawn)
        {
            land(withdrawn.rank(), withdrawn.step(), Count.WITHDRAWN);
            final WithdrawalCause cause = withdrawn.cause();
            if (cause == WithdrawalCause.RANK_LOST || cause == WithdrawalCause.TIMED_OUT)
            {
                ranks[withdrawn.rank()].lose();
            }
        }

        @Override
        protected void onBackendReset(final BackendResetDecoder reset)
        {
            for (int rank = 0; rank < ranks.length; rank++)
            {
                if (reset.rank() < 0 || reset.rank() == rank)
                {
                    ranks[rank].reset();
                }
            }
        }

        @Override
        protected void onPaused(final PausedDecoder paused)
        {
            live.get(paused.requestId()).isPaused = true;
            add(Count.PAUSED, 1);
        }

        @Override
        protected void onContinued(final ContinuedDecoder continued)
        {
            endPause(live.get(continued.requestId()));
        }

        @Override
        protected void onRequeued(final RequeuedDecoder requeued)
        {
            add(requeued.reason() == RequeueReason.PREEMPTED ? Count.PREEMPTIONS : Count.RESTARTS, 1);
            release(live.get(requeued.requestId()));
        }

        @Override
        protected void onFree(final FreeDecoder end)
        {
            final FollowedRequest request = live.remove(end.requestId());
            release(request);
            add(Count.CAPTURED, end.capturedRows());
            add(Count.INHERITED, end.inheritedRows());
            add(Count.MISSING, end.missingRows());
            add(Count.REJECTED, end.impossibleRows());
            end(request, end.reason());
            spare.push(request);
        }
    }

    private void admit(final FollowedRequest request, final StepView plan, final int index)
    {
        ranks[plan.rank()].admit(request, plan.rank());
        add(Count.RUNNING, 1);
        if (request.firstStep == FollowedRequest.NO_STEP)
        {
            request.firstStep = plan.step();
            queueTime.record(nowNanos - request.submitNanos);
            add(Count.QUERIED_TOKENS, request.promptTokens);
            add(Count.HIT_TOKENS, (long)plan.matchedBlocks(index) * blockSizeTokens);
        }
    }

    private void land(final int rank, final long step, final Count end)
    {
        add(end, 1);
        add(Count.STEPS_IN_FLIGHT, -1);
        add(Count.TOKENS_IN_FLIGHT, -flights[rank].remove(step));
    }

    private void emit(final FollowedRequest request, final int tokens)
    {
        add(Count.GENERATED_TOKENS, tokens);
        if (!request.hasToken)
        {
            request.hasToken = true;
            timeToFirstToken.record(nowNanos - request.submitNanos);
        }
        else
        {
            interTokenLatency.record(nowNanos - request.lastTokenNanos);
        }
        for (int later = 1; later < tokens; later++)
        {
            interTokenLatency.record(0);
        }
        request.lastTokenNanos = nowNanos;
    }

    private void endPause(final FollowedRequest request)
    {
        add(Count.PAUSED, request.isPaused ? -1 : 0);
        request.isPaused = false;
    }

    private void release(final FollowedRequest request)
    {
        endPause(request);
        if (request.isRunning())
        {
            ranks[request.rank].release(request);
            add(Count.RUNNING, -1);
        }
    }

    private void end(final FollowedRequest request, final FreeReason reason)
    {
        if (reason == FreeReason.LENGTH || reason == FreeReason.STOP)
        {
            add(Count.COMPLETED, 1);
            endToEnd.record(nowNanos - request.submitNanos);
        }
        else
        {
            add(reason == FreeReason.CANCELLED ? Count.CANCELLED : Count.FAILED, 1);
        }
    }
}
