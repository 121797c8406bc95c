// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.step;

import io.signalbox.engine.ring.FlightRecording;
import io.signalbox.engine.ring.StallEvent;

/**
 * Tells the Flight Recorder of work of one thread that took long. Without a recording, {@link #begin} and {@link #end} read
 * a flag each, and no clock. With one there is one event, used again and again.
 */
public final class Stalls
{
    /** {@code null} if the runtime has no Flight Recorder. */
    private final StallEvent event;
    /** A recording may begin or end in the middle of the work. */
    private boolean timed;

    public Stalls(final String part)
    {
        event = FlightRecording.IS_AVAILABLE ? new StallEvent() : null;
        if (event != null)
        {
            event.part = part;
        }
    }

    public void begin()
    {
        timed = event != null && event.isEnabled();
        if (timed)
        {
            event.begin();
        }
    }

    public void end()
    {
        if (timed)
        {
            timed = false;
            event.end();
            // Checks the threshold.
            event.commit();
        }
    }
}
