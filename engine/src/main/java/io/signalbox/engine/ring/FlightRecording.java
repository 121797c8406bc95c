// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.ring;

/**
 * Whether the Java runtime has the Flight Recorder. A runtime that was linked without it must not load the events: only
 * {@code StepFlights}, {@code Stalls} and {@link Waits} touch them, and they ask here first.
 */
public final class FlightRecording
{
    public static final boolean IS_AVAILABLE = ModuleLayer.boot().findModule("jdk.jfr").isPresent();

    private FlightRecording()
    {
    }
}
