// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import io.signalbox.engine.ring.TrackSlot;

/**
 * The handlers of the track in one, in the order that their gates give them otherwise: each group is appended, then its
 * steps are launched; when the batch is durable, its results become visible.
 */
final class TrackHandler implements EventHandler<TrackSlot>
{
    private final ThreadedEngine engine;
    private final RingBuffer<TrackSlot> track;
    private final JournalHandler journal;
    private final EventHandler<TrackSlot> dispatch;
    private final EventHandler<TrackSlot> listener;
    /** The last group whose results are visible; the slots of later ones are still read. */
    private final Sequence visible = new Sequence();

    TrackHandler(
        final ThreadedEngine engine,
        final RingBuffer<TrackSlot> track,
        final JournalHandler journal,
        final EventHandler<TrackSlot> dispatch,
        final EventHandler<TrackSlot> listener)
    {
        this.engine = engine;
        this.track = track;
        this.journal = journal;
        this.dispatch = dispatch;
        this.listener = listener;
    }

    Sequence visible()
    {
        return visible;
    }

    /** A group failed, and with it the engine. */
    void skipTo(final long sequence)
    {
        visible.set(sequence);
    }

    @Override
    public void onEvent(final TrackSlot slot, final long sequence, final boolean endOfBatch) throws Exception
    {
        if (engine.isFailed())
        {
            slot.releaseRows();
            skipTo(sequence);
            return;
        }
        journal.append(slot);
        dispatch.onEvent(slot, sequence, endOfBatch);
        if (endOfBatch && journal.endBatch(sequence))
        {
            for (long next = visible.get() + 1; next <= sequence; next++)
            {
                listener.onEvent(track.get(next), next, next == sequence);
            }
            visible.set(sequence);
        }
    }
}
