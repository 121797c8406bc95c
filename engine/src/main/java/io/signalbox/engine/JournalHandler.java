// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import io.signalbox.engine.ring.SliceRelease;
import io.signalbox.engine.ring.TrackSlot;
import io.signalbox.engine.step.Stalls;
import io.signalbox.event.EncodedInput;
import io.signalbox.event.GroupWriter;

/**
 * Appends each group and moves two gates: "appended" after each group, and "durable" after the journal has given the
 * whole batch the durability that the user chose. If that costs a wait, and no result waits for it, further groups are
 * given a moment to come: one sync then serves the plan of a step and its result, if the backend is that quick.
 */
final class JournalHandler implements EventHandler<TrackSlot>
{
    /** Less than a sync takes. */
    private static final long PUT_OFF_NANOS = 50_000;

    private final ThreadedEngine engine;
    private final GroupJournal journal;
    private final RingBuffer<TrackSlot> track;
    private final Sequence durable = new Sequence();
    private final Stalls stalls = new Stalls("journal");
    private Sequence appended;
    /** A group that is not durable may have something for a client. */
    private boolean resultWaits;

    JournalHandler(final ThreadedEngine engine, final GroupJournal journal, final RingBuffer<TrackSlot> track)
    {
        this.engine = engine;
        this.journal = journal;
        this.track = track;
    }

    Sequence durable()
    {
        return durable;
    }

    @Override
    public void setSequenceCallback(final Sequence sequenceCallback)
    {
        appended = sequenceCallback;
    }

    @Override
    public void onEvent(final TrackSlot slot, final long sequence, final boolean endOfBatch)
    {
        if (engine.isFailed())
        {
            slot.releaseRows();
            return;
        }
        append(slot);
        appended.set(sequence);
        if (endOfBatch)
        {
            endBatch(sequence);
        }
    }

    void append(final TrackSlot slot)
    {
        stalls.begin();
        try
        {
            journal.append(slot.timeNanos(), slot.group.buffer(), 0, slot.group.length(), slot.rows());
        }
        catch (final RuntimeException | Error e)
        {
            SliceRelease.after(e, slot.takeRows());
            throw e;
        }
        resultWaits |= !EncodedInput.precedesResult(slot.group.buffer(), GroupWriter.LENGTH_BYTES);
        slot.releaseRows();
        stalls.end();
    }

    /** Gives the groups up to this one their durability; returns false if a later call will do so, with the next group. */
    boolean endBatch(final long sequence)
    {
        if (isPutOff(sequence))
        {
            return false;
        }
        stalls.begin();
        journal.endOfBatch();
        durable.set(sequence);
        resultWaits = false;
        stalls.end();
        return true;
    }

    private boolean isPutOff(final long sequence)
    {
        // Slots of groups that are not durable are not free: with too few left, nothing would come.
        final boolean mayCome =
            !resultWaits && !journal.neverWaits() && sequence - durable.get() < track.getBufferSize() / 2;
        boolean comes = false;
        for (final long start = System.nanoTime(); mayCome && !comes && System.nanoTime() - start < PUT_OFF_NANOS; )
        {
            Thread.yield();
            comes = track.getCursor() > sequence;
        }
        return comes;
    }
}
