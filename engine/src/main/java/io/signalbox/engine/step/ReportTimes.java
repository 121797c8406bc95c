// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.step;

import io.signalbox.backend.CompletionSink;
import io.signalbox.engine.ring.Nanos;

import java.util.function.LongSupplier;

/**
 * The engine's time of a backend's report. A report cannot be earlier than the engine or later than the current time, except
 * for the resolution of a clock; otherwise the backend reads another clock. Thread-safe.
 */
public final class ReportTimes
{
    /** Instead of a time that no report of this engine can have. */
    public static final long IMPOSSIBLE = -1;

    /** Clocks of devices and coarse clocks differ from the engine's by less. */
    static final long MARGIN_NANOS = 1_000_000_000L;

    /** Of an engine whose caller sets the time. */
    private static final long UNKNOWN = Long.MIN_VALUE;

    private final LongSupplier clock;
    private final boolean isSystem;
    private final long beganNanos;
    private final long aheadNanos;

    private ReportTimes(final LongSupplier clock, final boolean isSystem, final long beganNanos, final long aheadNanos)
    {
        this.clock = clock;
        this.isSystem = isSystem;
        this.beganNanos = beganNanos;
        this.aheadNanos = aheadNanos;
    }

    /**
     * Of an engine that reads a clock. It begins now.
     *
     * @param isSystem   whether a backend reads the same clock by {@link System#nanoTime}.
     * @param aheadNanos by which the engine's clock is ahead of the clock of its backend.
     */
    public static ReportTimes of(final LongSupplier clock, final boolean isSystem, final long aheadNanos)
    {
        return new ReportTimes(clock, isSystem, clock.getAsLong(), aheadNanos);
    }

    /**
     * Of an engine whose caller sets the time, which no report contradicts.
     *
     * @param latest time of the latest input.
     */
    public static ReportTimes ofCaller(final LongSupplier latest)
    {
        return new ReportTimes(latest, false, UNKNOWN, 0);
    }

    /** The time on the engine's clock, at most the current time; {@link #IMPOSSIBLE} if it contradicts that clock. */
    public long engineNanos(final long timeNanos)
    {
        if (timeNanos == CompletionSink.NOW)
        {
            return clock.getAsLong();
        }
        if (beganNanos == UNKNOWN)
        {
            return timeNanos;
        }
        final long now = clock.getAsLong();
        final long reported = timeNanos + aheadNanos;
        return isPossible(reported, now) ? Math.min(reported, now) : IMPOSSIBLE;
    }

    private boolean isPossible(final long reported, final long now)
    {
        // A clock of the embedder may be set back.
        return reported >= Math.min(beganNanos, now) - MARGIN_NANOS && reported - MARGIN_NANOS <= now;
    }

    /** The current time of the engine. */
    public long nowNanos()
    {
        return clock.getAsLong();
    }

    /** Why the time is impossible. */
    public String fault(final int rank, final long step, final long timeNanos)
    {
        final long now = clock.getAsLong() - aheadNanos;
        final long began = beganNanos - aheadNanos;
        final String difference = timeNanos < Math.min(began, now) ?
            distance(timeNanos, began) + " before the engine began" :
            distance(now, timeNanos) + " ahead of the engine's clock";
        return "step " + step + " of rank " + rank + " was reported at " + timeNanos + " ns, " + difference + "; report " +
            (isSystem ? "System.nanoTime()" : "the time of the clock in EngineConfig.clock") + ", or CompletionSink.NOW";
    }

    private static String distance(final long from, final long to)
    {
        final long distance = to - from;
        return Nanos.text(distance < 0 ? Long.MAX_VALUE : distance);
    }
}
