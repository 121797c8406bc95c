// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import com.lmax.disruptor.EventHandler;
import io.signalbox.backend.Backend;

/** Launches steps, each after its group has been appended to the journal. */
final class DispatchHandler implements EventHandler<TrackSlot>
{
    private final ThreadedEngine engine;
    private final Dispatcher dispatcher;

    DispatchHandler(final ThreadedEngine engine, final Backend backend)
    {
        this.engine = engine;
        dispatcher = new Dispatcher(backend);
    }

    @Override
    public void onEvent(final TrackSlot slot, final long sequence, final boolean endOfBatch)
    {
        if (!engine.isFailed())
        {
            dispatcher.dispatch(slot.group.buffer(), 0, slot.group.length());
        }
    }
}
