// SPDX-License-Identifier: Apache-2.0
package io.signalbox.stats;

import io.signalbox.event.CommitView;
import io.signalbox.event.CommitWords;
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
import io.signalbox.event.codec.TieRule;
import io.signalbox.event.codec.WithdrawalCause;
import io.signalbox.event.codec.WithdrawnDecoder;
import io.signalbox.stats.Interval.Count;
import org.HdrHistogram.WriterReaderPhaser;
import org.agrona.DirectBuffer;
import org.agrona.collections.Long2LongHashMap;
import org.agrona.collections.Long2ObjectHashMap;

import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * Counts {@link EngineStats} from the groups of one engine, or of its journal. One thread gives the groups and never waits.
 * Any thread asks for the figures: it exchanges the interval that is being filled for an empty one, waits for the end of the
 * group that is being counted, and adds the interval to those before. Without garbage once as many requests were alive as
 * ever are.
 */
public final class LiveFigures
{
    private static final long NO_STEP = -1;

    private final int blockSizeTokens;
    private final int poolBlocks;
    private final int rowBytes;
    private final Events events = new Events();
    private final Long2ObjectHashMap<FollowedRequest> live = new Long2ObjectHashMap<>();
    private final ArrayDeque<FollowedRequest> spare = new ArrayDeque<>();
    private final FollowedRank[] ranks;
    /** Tokens of each step in flight, by rank and step number. */
    private final Long2LongHashMap[] flights;
    private final String router;
    private final String fallbackRouter;
    private final WriterReaderPhaser phaser = new WriterReaderPhaser();
    /** Filled by groups; exchanged by the thread that asks. */
    private volatile Interval active;
    /** The one that the current group fills. */
    private Interval interval;
    private Interval inactive;
    private final Interval total;
    private long nowNanos;
    /** Equal gaps between tokens that are not yet recorded; none between two groups. */
    private long gapNanos;
    private long gaps;

    /**
     * @param kvBlocks       of each rank, the dummy block included.
     * @param rowBytes       of one token's routed experts; 0 without capture.
     * @param router         label of the router that decides.
     * @param fallbackRouter label of the one that decides without prefix caching.
     */
    public LiveFigures(
        final int rankCount,
        final int kvBlocks,
        final int blockSizeTokens,
        final int rowBytes,
        final String router,
        final String fallbackRouter)
    {
        this.blockSizeTokens = blockSizeTokens;
        this.rowBytes = rowBytes;
        this.router = router;
        this.fallbackRouter = fallbackRouter;
        poolBlocks = kvBlocks - 1;
        active = new Interval(rankCount);
        inactive = new Interval(rankCount);
        total = new Interval(rankCount);
        ranks = new FollowedRank[rankCount];
        Arrays.setAll(ranks, FollowedRank::new);
        flights = new Long2LongHashMap[rankCount];
        Arrays.setAll(flights, rank -> new Long2LongHashMap(NO_STEP));
    }

    /** Counts one group; from one thread at a time. */
    public void onGroup(final DirectBuffer group, final int offset, final int length)
    {
        final long phase = phaser.writerCriticalSectionEnter();
        try
        {
            interval = active;
            nowNanos = Math.max(nowNanos, GroupReader.inputTimeNanos(group, offset, length));
            events.readGroup(group, offset, length);
        }
        finally
        {
            phaser.writerCriticalSectionExit(phase);
        }
    }

    /** The figures up to the last group. */
    public synchronized EngineStats stats(final EngineStats.Shell shell)
    {
        inactive.reset();
        phaser.readerLock();
        try
        {
            final Interval filled = active;
            active = inactive;
            inactive = filled;
            // Nobody writes to it once the group ends that began before the exchange.
            phaser.flipPhase();
        }
        finally
        {
            phaser.readerUnlock();
        }
        total.add(inactive);
        return new EngineStats(requests(), steps(),
            new EngineStats.PrefixFigures(total.of(Count.QUERIED_TOKENS), total.of(Count.HIT_TOKENS)), rows(), placements(),
            total.ranks(poolBlocks), total.timeToFirstToken.latency(), total.interTokenLatency.latency(),
            total.endToEnd.latency(), total.queueTime.latency(), shell);
    }

    private EngineStats.RequestFigures requests()
    {
        return new EngineStats.RequestFigures(total.of(Count.RUNNING), total.of(Count.LIVE) - total.of(Count.RUNNING),
            total.of(Count.PAUSED), total.of(Count.ACCEPTED), total.of(Count.REFUSED), total.of(Count.COMPLETED),
            total.of(Count.STOPPED), total.of(Count.CANCELLED), total.of(Count.MISSED_DEADLINES),
            total.of(Count.ABORTED_BY_NEW_WEIGHTS), total.of(Count.FAILED), total.of(Count.PREEMPTIONS),
            total.of(Count.RESTARTS));
    }

    private EngineStats.StepFigures steps()
    {
        return new EngineStats.StepFigures(
            total.of(Count.STEPS_IN_FLIGHT), total.of(Count.COMMITTED), total.of(Count.WITHDRAWN),
            total.of(Count.COMPUTED_TOKENS), total.of(Count.GENERATED_TOKENS), total.of(Count.TOKENS_IN_FLIGHT),
            total.of(Count.TOKENS_IN_FLIGHT) * rowBytes);
    }

    private EngineStats.Rows rows()
    {
        return new EngineStats.Rows(total.of(Count.CAPTURED), total.of(Count.INHERITED), total.of(Count.MISSING),
            total.of(Count.REJECTED));
    }

    private EngineStats.PlacementFigures placements()
    {
        return new EngineStats.PlacementFigures(
            router, total.of(Count.BY_ROUTER), fallbackRouter, total.of(Count.BY_FALLBACK),
            total.of(Count.GATE_CLOSED), total.of(Count.ON_HINT), total.of(Count.BY_CONVERSATION));
    }

    private void add(final Count count, final long by)
    {
        interval.add(count, by);
    }

    /** The events that change a figure. */
    private final class Events extends EventReader
    {
        private int promptTokens;
        /** The entries of a commit. */
        private long[] words = new long[0];

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
            request.accepted(answer.requestId(), nowNanos, promptTokens);
            live.put(answer.requestId(), request);
            add(Count.LIVE, 1);
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
            add(Count.ON_HINT, decision.tieRule() == TieRule.HINT ? 1 : 0);
            add(Count.BY_CONVERSATION, decision.tieRule() == TieRule.BOUND ? 1 : 0);
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
            // Changes of one request follow one another.
            FollowedRequest request = null;
            for (int i = 0; i < plan.changeCount(); i++)
            {
                final long id = plan.changeRequestId(i);
                request = request == null || request.requestId != id ? live.get(id) : request;
                // One that began to run in records that were removed is not counted as running.
                if (request.isRunning())
                {
                    ranks[plan.rank()].hold(request, plan.changeBlockId(i), interval);
                }
            }
        }

        @Override
        protected void onCommit(final CommitView commit)
        {
            land(commit.rank(), commit.step(), Count.COMMITTED);
            final FollowedRank rank = ranks[commit.rank()];
            final int entries = commit.entryCount();
            if (words.length < entries * CommitView.ENTRY_WORDS)
            {
                words = new long[2 * entries * CommitView.ENTRY_WORDS];
            }
            commit.copyEntries(words);
            long computed = 0;
            long generated = 0;
            for (int entry = 0, word = 0; entry < entries; entry++, word += CommitView.ENTRY_WORDS)
            {
                computed += CommitWords.high(words[word + 1]);
                final int emitted = CommitWords.emitted((int)words[word + 2]);
                if (emitted > 0)
                {
                    emit(rank.request(entry, words[word], live), emitted);
                    generated += emitted;
                }
            }
            add(Count.COMPUTED_TOKENS, computed);
            add(Count.GENERATED_TOKENS, generated);
            recordGaps();
        }

        @Override
        protected void onWithdrawn(final WithdrawnDecoder withdrawn)
        {
            land(withdrawn.rank(), withdrawn.step(), Count.WITHDRAWN);
            final WithdrawalCause cause = withdrawn.cause();
            if (cause == WithdrawalCause.RANK_LOST || cause == WithdrawalCause.TIMED_OUT)
            {
                ranks[withdrawn.rank()].lose(interval);
            }
        }

        @Override
        protected void onBackendReset(final BackendResetDecoder reset)
        {
            for (int rank = 0; rank < ranks.length; rank++)
            {
                if (reset.rank() < 0 || reset.rank() == rank)
                {
                    ranks[rank].reset(interval);
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
            add(Count.LIVE, -1);
            release(request);
            add(Count.CAPTURED, end.capturedRows());
            add(Count.INHERITED, end.inheritedRows());
            add(Count.MISSING, end.missingRows());
            add(Count.REJECTED, end.impossibleRows());
            end(request, end.reason());
            request.requestId = FollowedRequest.NO_REQUEST;
            spare.push(request);
        }
    }

    private void admit(final FollowedRequest request, final StepView plan, final int index)
    {
        ranks[plan.rank()].admit(request, interval);
        add(Count.RUNNING, 1);
        if (!request.wasAdmitted)
        {
            request.wasAdmitted = true;
            interval.queueTime.record(nowNanos - request.submitNanos, 1);
            add(Count.QUERIED_TOKENS, request.promptTokens);
            add(Count.HIT_TOKENS, (long)plan.matchedBlocks(index) * blockSizeTokens);
        }
    }

    private void land(final int rank, final long step, final Count end)
    {
        add(end, 1);
        final long tokens = flights[rank].remove(step);
        // A step that was planned in records that were removed was not counted.
        if (tokens != NO_STEP)
        {
            add(Count.STEPS_IN_FLIGHT, -1);
            add(Count.TOKENS_IN_FLIGHT, -tokens);
        }
    }

    private void emit(final FollowedRequest request, final int tokens)
    {
        if (!request.hasToken)
        {
            request.hasToken = true;
            interval.timeToFirstToken.record(nowNanos - request.submitNanos, 1);
        }
        else
        {
            gap(nowNanos - request.lastTokenNanos);
        }
        if (tokens > 1)
        {
            interval.interTokenLatency.record(0, tokens - 1);
        }
        request.lastTokenNanos = nowNanos;
    }

    /** Most requests of a step got their last token at the same time: in the step before. */
    private void gap(final long nanos)
    {
        if (nanos != gapNanos)
        {
            recordGaps();
            gapNanos = nanos;
        }
        gaps++;
    }

    private void recordGaps()
    {
        if (gaps > 0)
        {
            interval.interTokenLatency.record(gapNanos, gaps);
            gaps = 0;
        }
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
            ranks[request.rank].release(request, interval);
            add(Count.RUNNING, -1);
        }
    }

    private void end(final FollowedRequest request, final FreeReason reason)
    {
        if (reason == FreeReason.LENGTH || reason == FreeReason.STOP)
        {
            add(Count.COMPLETED, 1);
            add(Count.STOPPED, reason == FreeReason.STOP ? 1 : 0);
            interval.endToEnd.record(nowNanos - request.submitNanos, 1);
        }
        else
        {
            add(switch (reason)
            {
                case CANCELLED -> Count.CANCELLED;
                case DEADLINE -> Count.MISSED_DEADLINES;
                case NEW_WEIGHTS -> Count.ABORTED_BY_NEW_WEIGHTS;
                default -> Count.FAILED;
            }, 1);
        }
    }
}
