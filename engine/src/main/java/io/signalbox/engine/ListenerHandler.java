// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import com.lmax.disruptor.EventHandler;
import io.signalbox.engine.ring.TrackSlot;
import io.signalbox.engine.step.Stalls;

/** Makes results visible, each after its group has the durability that the user chose. */
final class ListenerHandler implements EventHandler<TrackSlot>
{
    private final ThreadedEngine engine;
    private final GroupListener listener;
    private final Stalls stalls = new Stalls("clients");

    ListenerHandler(final ThreadedEngine engine, final GroupListener listener)
    {
        this.engine = engine;
        this.listener = listener;
    }

    @Override
    public void onEvent(final TrackSlot slot, final long sequence, final boolean endOfBatch)
    {
        if (!engine.isFailed())
        {
            stalls.begin();
            listener.onGroup(slot.group.buffer(), 0, slot.group.length());
            stalls.end();
        }
    }
}
