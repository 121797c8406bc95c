// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.step;

import io.signalbox.engine.ring.FlightRecording;
import io.signalbox.engine.ring.StepEvent;
import io.signalbox.event.StepView;

/**
 * Tells the Flight Recorder of every step. Of the dispatching thread. Without a recording it reads a flag per step, and no
 * clock; the events, one for each step that may be in flight, are made when the first recording begins, and used again.
 */
public final class StepFlights
{
    /** Steps count from 1. */
    private static final long FREE = 0;

    /** {@code null} if the runtime has no Flight Recorder. */
    private final StepEvent probe;
    private final int ranks;
    private final int depth;
    /** {@code null} before the first recording; {@code depth} events of each rank. */
    private StepEvent[] events;

    public StepFlights(final int ranks, final int depth)
    {
        this.ranks = ranks;
        this.depth = depth;
        probe = FlightRecording.IS_AVAILABLE ? new StepEvent() : null;
    }

    public void launched(final StepView step)
    {
        if (probe == null || !probe.isEnabled())
        {
            return;
        }
        if (events == null)
        {
            events = new StepEvent[ranks * depth];
            for (int i = 0; i < events.length; i++)
            {
                events[i] = new StepEvent();
            }
        }
        final StepEvent event = find(step.rank(), FREE);
        event.rank = step.rank();
        event.step = step.step();
        event.epoch = step.epoch();
        event.entries = step.entryCount();
        event.tokens = step.tokens();
        event.begin();
    }

    public void landed(final int rank, final long step)
    {
        ended(rank, step, true);
    }

    public void withdrawn(final int rank, final long step)
    {
        ended(rank, step, false);
    }

    private void ended(final int rank, final long step, final boolean committed)
    {
        final StepEvent event = events == null ? null : find(rank, step);
        if (event != null)
        {
            event.committed = committed;
            event.end();
            event.commit();
            event.step = FREE;
        }
    }

    /** The rank's event of the step, or {@code null}. */
    private StepEvent find(final int rank, final long step)
    {
        for (int i = rank * depth; i < (rank + 1) * depth; i++)
        {
            if (events[i].step == step)
            {
                return events[i];
            }
        }
        return null;
    }
}
