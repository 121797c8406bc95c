// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.ring;

/** Tells the Flight Recorder of one wait for room. Only a thread that waits asks for one. */
public final class Waits
{
    public static final String INGRESS = "ingress";
    public static final String TRACK = "track";
    static final String CREDIT = "credit";
    public static final String ROWS = "rows";

    private static final Waits UNRECORDED = new Waits();

    /** {@code null} without a recording. */
    private final WaitEvent event;

    private Waits()
    {
        event = null;
    }

    private Waits(final String room)
    {
        event = new WaitEvent();
        event.room = room;
        event.begin();
    }

    /** Returns an object only if there is a recording, so that others leave no garbage. */
    public static Waits begin(final String room)
    {
        return FlightRecording.IS_AVAILABLE && Probe.isEnabled() ? new Waits(room) : UNRECORDED;
    }

    public void end()
    {
        if (event != null)
        {
            event.end();
            // Checks the threshold.
            event.commit();
        }
    }

    /** Loaded only if there are events. */
    private static final class Probe
    {
        private static final WaitEvent EVENT = new WaitEvent();

        private static boolean isEnabled()
        {
            return EVENT.isEnabled();
        }
    }
}
