// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.DocumentSchema;
import io.signalbox.JsonName;
import io.signalbox.event.codec.BackendFaultDecoder;
import io.signalbox.event.codec.BackendResetDecoder;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.NewWeightsDecoder;
import io.signalbox.event.codec.RequeuedDecoder;
import io.signalbox.event.codec.RequeueReason;
import io.signalbox.event.codec.StepTimedOutDecoder;
import io.signalbox.event.codec.WithdrawnDecoder;
import io.signalbox.journal.JournalReader;
import io.signalbox.state.RunRequest;
import io.signalbox.state.RunStep;

/** Lists faults, lost ranks, resets and new weights in their order, with the steps and requests that they cost. */
public final class FaultQuery extends JournalQuery
{
    private final int rank;
    private final TimeWindow window;
    /** The row of this group; {@code null}: the group has none. */
    private FaultRow pending;
    private long withdrawn;
    private long restarted;

    /**
     * A row of {@code inspect faults JOURNAL --json}: a fault, a reset, or new weights.
     *
     * @param record    record of its group
     * @param timeNanos logical time of its group
     * @param kind      {@code step-failed}, {@code rank-lost}, {@code rank-given-up} or another class of the backend,
     *                  {@code step-timed-out}, {@code reset}, {@code restart} of the engine, or {@code new-weights}
     * @param rank      its rank; {@code null}: all
     * @param step      its step; {@code null} if it is not about one
     * @param withdrawn steps that were withdrawn in its group
     * @param restarted requests that started over in its group, except preempted ones
     * @param detail    what the backend said, or the way of new weights; {@code null} without words
     */
    @DocumentSchema("signalbox.inspect-faults/1")
    public record FaultRow(
        long record,
        @JsonName("seconds") long timeNanos,
        String kind,
        Long rank,
        Long step,
        long withdrawn,
        long restarted,
        String detail)
    {
    }

    /** @param rank -1: any; else what concerns the rank, or all ranks. */
    public FaultQuery(final int rank, final TimeWindow window)
    {
        this.rank = rank;
        this.window = window;
    }

    @Override
    boolean needsAll()
    {
        return false;
    }

    @Override
    void begin(final JournalReader journal)
    {
        requireRank(journal, rank);
    }

    @Override
    public Class<FaultRow> rowType()
    {
        return FaultRow.class;
    }

    private void happened(final String kind, final long ofRank, final Long step, final String detail)
    {
        if (window.has(nowNanos()) && (rank < 0 || ofRank < 0 || ofRank == rank))
        {
            pending = new FaultRow(record(), nowNanos(), kind, ofRank < 0 ? null : (Long)ofRank, step, 0, 0,
                detail.isEmpty() ? null : detail);
        }
    }

    @Override
    public void onFault(final BackendFaultDecoder fault)
    {
        happened(label(fault.faultClass()), fault.rank(), fault.step(), fault.detail());
    }

    @Override
    public void onTimedOut(final StepTimedOutDecoder step)
    {
        happened("step-timed-out", step.rank(), step.step(), "");
    }

    @Override
    public void onReset(final BackendResetDecoder reset)
    {
        happened(reset.restart() == Flag.YES ? "restart" : "reset", reset.rank(), null, "");
    }

    @Override
    public void onNewWeights(final NewWeightsDecoder weights)
    {
        happened("new-weights", -1, null, label(weights.way()));
    }

    @Override
    public void onWithdrawn(final RunStep step, final WithdrawnDecoder of)
    {
        withdrawn++;
    }

    @Override
    public void onRequeued(final RunRequest request, final RequeuedDecoder requeued)
    {
        restarted += requeued.reason() == RequeueReason.PREEMPTED ? 0 : 1;
    }

    /** A group begins with its input; what the input costs follows. */
    @Override
    public void onGroupEnd()
    {
        if (pending != null)
        {
            row(new FaultRow(pending.record, pending.timeNanos, pending.kind, pending.rank, pending.step, withdrawn,
                restarted, pending.detail));
        }
        pending = null;
        withdrawn = 0;
        restarted = 0;
    }
}
