// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import com.lmax.disruptor.EventHandler;
import io.signalbox.engine.ring.Alarm;
import io.signalbox.engine.ring.TrackSlot;

/** Launches steps, each after its group has been appended to the journal, and none once the engine is closing. */
final class DispatchHandler implements EventHandler<TrackSlot>
{
    private final ThreadedEngine engine;
    private final Dispatcher dispatcher;
    private final StepsInFlight steps;
    private final Alarm alarm;

    /** @param steps {@code null} if steps have no time limit. */
    DispatchHandler(
        final ThreadedEngine engine, final Dispatcher dispatcher, final StepsInFlight steps, final Alarm alarm)
    {
        this.alarm = alarm;
        this.engine = engine;
        this.steps = steps;
        this.dispatcher = dispatcher;
    }

    @Override
    public void onEvent(final TrackSlot slot, final long sequence, final boolean endOfBatch)
    {
        if (engine.isFailed() || engine.isClosing())
        {
            return;
        }
        if (steps != null)
        {
            steps.onGroup(slot.group.buffer(), 0, slot.group.length());
            alarm.dueAt(steps.nextOverdueNanos());
        }
        dispatcher.dispatch(slot.group.buffer(), 0, slot.group.length());
    }
}
