// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import com.lmax.disruptor.Cursored;
import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.Sequence;
import io.signalbox.event.EncodedInput;
import io.signalbox.event.GroupWriter;

/**
 * Appends each group and moves two gates: "appended" after each group, and "durable" after the journal has given the
 * whole batch the durability that the user chose. If that costs a wait, and no result waits for it, further groups are
 * given a moment to come: one sync then serves the plan of a step and its result, if the backend is that quick.
 */
final class JournalHandler implements EventHandler<TrackSlot>
{
    /** A result waits for the sync of the groups ahead of it, so a sync is not put off for long. */
    private static final int MAX_PUT_OFF = 256;
    private static final int ROUNDS = 200;

    private final ThreadedEngine engine;
    private final GroupJournal journal;
    private final Cursored track;
    private final Sequence durable = new Sequence();
    private final Stalls stalls = new Stalls("journal");
    private Sequence appended;

    JournalHandler(final ThreadedEngine engine, final GroupJournal journal, final Cursored track)
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
            endBatch(slot, sequence);
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
        slot.releaseRows();
        stalls.end();
    }

    /** Gives the groups up to this one their durability; returns false if a later call will do so, with the next group. */
    boolean endBatch(final TrackSlot last, final long sequence)
    {
        if (isPutOff(last, sequence))
        {
            return false;
        }
        stalls.begin();
        journal.endOfBatch();
        durable.set(sequence);
        stalls.end();
        return true;
    }

    private boolean isPutOff(final TrackSlot last, final long sequence)
    {
        boolean comes = false;
        if (!journal.neverWaits() && sequence - durable.get() < MAX_PUT_OFF &&
            EncodedInput.precedesResult(last.group.buffer(), GroupWriter.LENGTH_BYTES))
        {
            for (int round = 0; round < ROUNDS && !comes; round++)
            {
                Pause.pause(round);
                comes = track.getCursor() > sequence;
            }
        }
        return comes;
    }
}
