// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.Sequence;

/**
 * Appends each group and moves two gates: "appended" after each group, and "durable" after the journal has given the
 * whole batch the durability that the user chose.
 */
final class JournalHandler implements EventHandler<TrackSlot>
{
    private final ThreadedEngine engine;
    private final GroupJournal journal;
    private final Sequence durable = new Sequence();
    private final Stalls stalls = new Stalls("journal");
    private Sequence appended;

    JournalHandler(final ThreadedEngine engine, final GroupJournal journal)
    {
        this.engine = engine;
        this.journal = journal;
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
        slot.releaseRows();
        stalls.end();
    }

    /** Gives the groups up to this one their durability. */
    void endBatch(final long sequence)
    {
        stalls.begin();
        journal.endOfBatch();
        durable.set(sequence);
        stalls.end();
    }
}
