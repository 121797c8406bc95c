// SPDX-License-Identifier: Apache-2.0
package io.signalbox.stats;

import io.signalbox.event.CommitView;
import io.signalbox.event.StepView;
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
import io.signalbox.event.codec.TieRule;
import io.signalbox.event.codec.WithdrawalCause;
import io.signalbox.event.codec.WithdrawnDecoder;
import io.signalbox.state.RunFold;
import io.signalbox.state.RunListener;
import io.signalbox.state.RunRequest;
import io.signalbox.state.RunStep;
import io.signalbox.stats.Interval.Count;
import io.signalbox.stats.Interval.RankCount;
import org.HdrHistogram.WriterReaderPhaser;
import org.agrona.DirectBuffer;

/**
 * Counts {@link EngineStats} from the groups of one engine, or of its journal. One thread gives the groups and never waits.
 * Any thread asks for the figures: it exchanges the interval that is being filled for an empty one, waits for the end of the
 * group that is being counted, and adds the interval to those before. Without garbage once as many requests were alive as
 * ever are.
 */
public final class LiveFigures implements RunListener
{
    private final int blockSizeTokens;
    private final int poolBlocks;
    private final int rowBytes;
    private final RunFold fold = RunFold.of(this);
    private final boolean[] lost;
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
        lost = new boolean[rankCount];
    }

    /** Counts one group; from one thread at a time. */
    public void onGroup(final DirectBuffer group, final int offset, final int length)
    {
        final long phase = phaser.writerCriticalSectionEnter();
        try
        {
            interval = active;
            fold.onGroup(group, offset, length);
        }
        finally
        {
            phaser.writerCriticalSectionExit(phase);
        }
    }

    @Override
    public void onGroup(final long timeNanos)
    {
        nowNanos = timeNanos;
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
            total.endToEnd.latency(), total.queueTime.latency(), total.times(), total.tokens(),
            new EngineStats.KvPool(blockSizeTokens, poolBlocks), shell);
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

    @Override
    public void onAccepted(final RunRequest request)
    {
        add(Count.ACCEPTED, 1);
        add(Count.LIVE, 1);
    }

    @Override
    public void onRefused(final RunRequest request, final RefusedDecoder answer)
    {
        add(Count.REFUSED, 1);
    }

    @Override
    public void onPlaced(final RunRequest request, final PlacedDecoder decision)
    {
        add(decision.decidedBy() == DecidingRouter.FALLBACK ? Count.BY_FALLBACK : Count.BY_ROUTER, 1);
        add(Count.GATE_CLOSED, decision.gate() == MatchGate.CLOSED ? 1 : 0);
        add(Count.ON_HINT, decision.tieRule() == TieRule.HINT ? 1 : 0);
        add(Count.BY_CONVERSATION, decision.tieRule() == TieRule.BOUND ? 1 : 0);
    }

    @Override
    public void onStep(final StepView plan)
    {
        add(Count.STEPS_IN_FLIGHT, 1);
        add(Count.TOKENS_IN_FLIGHT, plan.tokens());
    }

    @Override
    public void onAdmitted(final RunRequest request, final StepView plan, final int index)
    {
        interval.add(RankCount.RUNNING, plan.rank(), 1);
        add(Count.RUNNING, 1);
        if (request.isFirstAdmission(plan))
        {
            interval.queueTime.record(nowNanos - request.submitNanos(), 1);
            add(Count.QUERIED_TOKENS, request.promptTokens());
            add(Count.HIT_TOKENS, (long)plan.matchedBlocks(index) * blockSizeTokens);
        }
    }

    @Override
    public void onBlocksInUse(final int rank, final int blocksInUse, final int change)
    {
        interval.add(RankCount.USED_BLOCKS, rank, change);
    }

    @Override
    public void onFirstToken(final RunRequest request)
    {
        interval.timeToFirstToken.record(nowNanos - request.submitNanos(), 1);
    }

    @Override
    public void onTokens(final RunRequest request, final int count, final long sinceNanos)
    {
        if (sinceNanos != RunRequest.UNKNOWN)
        {
            gap(sinceNanos);
        }
        if (count > 1)
        {
            interval.interTokenLatency.record(0, count - 1);
        }
    }

    @Override
    public void onLanded(final RunStep step, final CommitView commit)
    {
        land(step, Count.COMMITTED);
        add(Count.COMPUTED_TOKENS, step.computedTokens());
        interval.stepTokens.record(step.computedTokens());
        add(Count.GENERATED_TOKENS, step.generatedTokens());
        recordGaps();
    }

    @Override
    public void onWithdrawn(final RunStep step, final WithdrawnDecoder withdrawn)
    {
        land(step, Count.WITHDRAWN);
        final WithdrawalCause cause = withdrawn.cause();
        if (cause == WithdrawalCause.RANK_LOST || cause == WithdrawalCause.TIMED_OUT)
        {
            interval.add(RankCount.LOST, withdrawn.rank(), lost[withdrawn.rank()] ? 0 : 1);
            lost[withdrawn.rank()] = true;
        }
    }

    @Override
    public void onReset(final BackendResetDecoder reset)
    {
        for (int rank = 0; rank < lost.length; rank++)
        {
            if (reset.rank() < 0 || reset.rank() == rank)
            {
                interval.add(RankCount.LOST, rank, lost[rank] ? -1 : 0);
                interval.add(RankCount.RESETS, rank, 1);
                lost[rank] = false;
            }
        }
    }

    @Override
    public void onPaused(final RunRequest request, final PausedDecoder paused)
    {
        add(Count.PAUSED, 1);
    }

    @Override
    public void onContinued(final RunRequest request, final ContinuedDecoder continued)
    {
        add(Count.PAUSED, request.isPaused() ? -1 : 0);
    }

    @Override
    public void onStopped(final RunRequest request)
    {
        add(Count.PAUSED, request.isPaused() ? -1 : 0);
        if (request.isRunning())
        {
            interval.add(RankCount.RUNNING, request.admittedRank(), -1);
            add(Count.RUNNING, -1);
        }
    }

    @Override
    public void onRequeued(final RunRequest request, final RequeuedDecoder requeued)
    {
        add(requeued.reason() == RequeueReason.PREEMPTED ? Count.PREEMPTIONS : Count.RESTARTS, 1);
    }

    @Override
    public void onEnded(final RunRequest request, final FreeDecoder end)
    {
        add(Count.LIVE, -1);
        add(Count.CAPTURED, end.capturedRows());
        add(Count.INHERITED, end.inheritedRows());
        add(Count.MISSING, end.missingRows());
        add(Count.REJECTED, end.impossibleRows());
        end(request, end.reason());
    }

    private void land(final RunStep step, final Count end)
    {
        add(end, 1);
        // A step that was planned in records that were removed was not counted.
        if (step.isKnown())
        {
            add(Count.STEPS_IN_FLIGHT, -1);
            add(Count.TOKENS_IN_FLIGHT, -step.plannedTokens());
        }
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

    private void complete(final RunRequest request)
    {
        interval.promptTokens.record(request.promptTokens());
        interval.generatedTokens.record(request.tokens());
        if (request.maxNewTokens() != RunRequest.UNKNOWN)
        {
            interval.tokenLimits.record(request.maxNewTokens());
        }
        if (request.firstTokenNanos() != RunRequest.UNKNOWN)
        {
            completeSinceAdmission(request);
            interval.decode.record(request.lastTokenNanos() - request.firstTokenNanos(), 1);
            if (request.tokens() > 1)
            {
                interval.perOutputToken.record(request.tpotNanos(), 1);
            }
        }
    }

    /** The admission may be among records that were removed ahead of a restart. */
    private void completeSinceAdmission(final RunRequest request)
    {
        if (request.admittedNanos() != RunRequest.UNKNOWN)
        {
            interval.prefill.record(request.firstTokenNanos() - request.admittedNanos(), 1);
            interval.inference.record(request.lastTokenNanos() - request.admittedNanos(), 1);
        }
    }

    private void end(final RunRequest request, final FreeReason reason)
    {
        if (reason == FreeReason.LENGTH || reason == FreeReason.STOP)
        {
            add(Count.COMPLETED, 1);
            add(Count.STOPPED, reason == FreeReason.STOP ? 1 : 0);
            interval.endToEnd.record(nowNanos - request.submitNanos(), 1);
            complete(request);
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
