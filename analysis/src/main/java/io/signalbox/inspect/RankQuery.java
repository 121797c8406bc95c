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
import io.signalbox.state.RunRequest;
import io.signalbox.state.RunStep;

/** Lists the figures of one rank over time, a row per interval. */
public final class RankQuery extends JournalQuery
{
    private final int rank;
    private final Intervals intervals;
    private final TimeWindow window;
    private long blocksInUse;
    private boolean hasBegun;
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
    }

    @Override
    void beginGroup()
    {
        intervals.advance(nowNanos());
        mostBlocks = hasBegun ? mostBlocks : blocksInUse;
        hasBegun = true;
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
        mostBlocks = blocksInUse;
    }

    @Override
    public void onBlocksInUse(final int ofRank, final int blocks, final int change)
    {
        blocksInUse = ofRank == rank ? blocks : blocksInUse;
    }

    private boolean concerns(final int eventRank)
    {
        return eventRank == rank && window.has(nowNanos());
    }

    @Override
    public void onStep(final StepView plan)
    {
        if (concerns(plan.rank()))
        {
            steps++;
            tokens += plan.tokens();
            admitted += plan.admittedCount();
            evictions += plan.evictedCount();
            mostBlocks = Math.max(mostBlocks, blocksInUse);
        }
    }

    @Override
    public void onCompletion(final CompletionView completion)
    {
        computeNanos = completion.computeNanos();
    }

    @Override
    public void onLanded(final RunStep landed, final CommitView step)
    {
        if (concerns(step.rank()))
        {
            computed += computeNanos;
            emitted += step.tokenCount();
        }
    }

    @Override
    public void onRequeued(final RunRequest request, final RequeuedDecoder requeued)
    {
        preemptions += concerns(requeued.rank()) && requeued.reason() == RequeueReason.PREEMPTED ? 1 : 0;
    }

    @Override
    public void onEnded(final RunRequest request, final FreeDecoder end)
    {
        ended += concerns(end.rank()) ? 1 : 0;
    }

    @Override
    public void onPaused(final RunRequest request, final PausedDecoder paused)
    {
        pauses += concerns(paused.rank()) ? 1 : 0;
    }

    @Override
    public void onWithdrawn(final RunStep landed, final WithdrawnDecoder step)
    {
        withdrawn += concerns(step.rank()) ? 1 : 0;
    }

    @Override
    void finish()
    {
        intervals.finish();
    }
}
