// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import java.util.function.LongSupplier;

/**
 * The engine's clock, which never shows a time before the last one of the run that the engine continues. If the clock
 * that was given is behind that, as {@link System#nanoTime} is after a reboot, the difference is added. Otherwise it is
 * used as it is, so the time in which no engine ran counts towards deadlines.
 */
final class ContinuedClock implements LongSupplier
{
    private final LongSupplier given;
    private long aheadNanos;

    ContinuedClock(final LongSupplier given)
    {
        this.given = given;
    }

    /** To be called before any other thread reads the clock. */
    void continueAt(final long nanos)
    {
        aheadNanos = Math.max(0, nanos - given.getAsLong());
    }

    /** Whether it runs at the pace of {@link System#nanoTime}. */
    boolean isSystem()
    {
        return given == EngineConfig.SYSTEM_CLOCK;
    }

    /** By how much it is ahead of the clock that was given. */
    long aheadNanos()
    {
        return aheadNanos;
    }

    @Override
    public long getAsLong()
    {
        return given.getAsLong() + aheadNanos;
    }
}
