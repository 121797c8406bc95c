// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.DocumentSchema;
import io.signalbox.JsonName;
import io.signalbox.event.CommitView;
import io.signalbox.event.CompletionView;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.PausedDecoder;
import io.signalbox.event.codec.RequeueReason;
import io.signalbox.event.codec.RequeuedDecoder;
import io.signalbox.event.codec.WithdrawnDecoder;
import io.signalbox.journal.JournalReader;
import io.signalbox.scheduler.SchedulerConfig;


/** Lists the figures of one rank over time, a row per interval. */
public final class RankQuery extends JournalQuery
{
    private final int rank;
    private final Intervals intervals;
    private final TimeWindow window;
    private BlocksInUse blocks;
    private long mostBlocks;
    private long computeNanos;
    private long steps;
    private long tokens;
    private long emitted;
    private long computed;
    private long admitted;
    private long ended;
    private long preemptions;
    private long pauses;
    private long evictions;
    private long withdrawn;

    /**
     * A row of {@code inspect rank JOURNAL RANK --json}: an interval, from the first event of the run to the last.
     *
     * @param fromNanos       logical time at which the interval begins
     * @param steps           steps that were planned
     * @param tokens          tokens in these steps
     * @param emitted         tokens that became visible
     * @param computedNanos   time that the device computed
     * @param admitted        admissions
     * @param ended           requests that ended
     * @param preemptions     preemptions
     * @param pauses          pauses
     * @param evictions       cached blocks that were evicted
     * @param withdrawn       steps that were withdrawn
     * @param mostBlocksInUse most KV blocks that requests held at one time
     */
    @DocumentSchema("signalbox.inspect-rank/2")
    public record RankRow(
        @JsonName("fromSeconds") long fromNanos,
        long steps,
        long tokens,
        long emitted,
        long computedNanos,
        long admitted,
        long ended,
        long preemptions,
        long pauses,
        long evictions,
        long withdrawn,
        long mostBlocksInUse)
    {
    }

    /** @param intervalNanos at least 1. */
    public RankQuery(final int rank, final long intervalNanos, final TimeWindow window)
    {
        this.rank = rank;
        intervals = new Intervals(intervalNanos, this::closeInterval);
        this.window = window;
    }

    @Override
    public Class<RankRow> rowType()
    {
        return RankRow.class;
    }

    @Override
    void begin(final JournalReader journal)
    {
        requireRank(journal, rank);
        blocks = new BlocksInUse(journal.setting(SchedulerConfig.KV_BLOCKS));
        if (ahead() != null)
        {
            blocks.add(ahead().rank(rank));
            mostBlocks = blocks.count();
        }
    }

    @Override
    void beginGroup()
    {
        intervals.advance(nowNanos());
    }

    private void closeInterval()
    {
        if (intervals.overlaps(window))
        {
            row(new RankRow(intervals.start(), steps, tokens, emitted, computed, admitted, ended, preemptions, pauses,
                evictions, withdrawn, mostBlocks));
        }
        steps = 0;
        tokens = 0;
        emitted = 0;
        computed = 0;
        admitted = 0;
        ended = 0;
        preemptions = 0;
        pauses = 0;
        evictions = 0;
        withdrawn = 0;
        mostBlocks = blocks.count();
    }

    private boolean concerns(final int eventRank)
    {
        return eventRank == rank && window.has(nowNanos());
    }

    @Override
    protected void onSchedule(final StepView plan)
    {
        if (plan.rank() == rank)
        {
            blocks.add(plan);
        }
        if (concerns(plan.rank()))
        {
            steps++;
            tokens += plan.tokens();
            admitted += plan.admittedCount();
            evictions += plan.evictedCount();
            mostBlocks = Math.max(mostBlocks, blocks.count());
        }
    }

    @Override
    protected void onD2hComplete(final CompletionView completion)
    {
        computeNanos = completion.computeNanos();
    }

    @Override
    protected void onCommit(final CommitView step)
    {
        if (concerns(step.rank()))
        {
            computed += computeNanos;
            emitted += step.tokenCount();
        }
    }

    @Override
    protected void onRequeued(final RequeuedDecoder requeued)
    {
        preemptions += concerns(requeued.rank()) && requeued.reason() == RequeueReason.PREEMPTED ? 1 : 0;
        if (requeued.rank() == rank)
        {
            requeued.released().forEach(released -> blocks.release(released.blockId()));
        }
    }

    @Override
    protected void onFree(final FreeDecoder end)
    {
        ended += concerns(end.rank()) ? 1 : 0;
        if (end.rank() == rank)
        {
            end.released().forEach(released -> blocks.release(released.blockId()));
        }
    }

    @Override
    protected void onPaused(final PausedDecoder paused)
    {
        pauses += concerns(paused.rank()) ? 1 : 0;
    }

    @Override
    protected void onWithdrawn(final WithdrawnDecoder step)
    {
        withdrawn += concerns(step.rank()) ? 1 : 0;
    }

    @Override
    void finish()
    {
        intervals.finish();
    }
}
