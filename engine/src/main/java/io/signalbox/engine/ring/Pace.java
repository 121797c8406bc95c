// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.ring;

/** The mean time between two events of one kind, which weighs recent ones more. One thread adds events, any thread reads. */
public final class Pace
{
    private static final long FIRST_GUESS_NANOS = 1_000_000;
    private static final long MIN_NANOS = 10_000;
    private static final long MAX_NANOS = 1_000_000_000;
    /** An event has the weight of one eighth. */
    private static final int WEIGHT_SHIFT = 3;

    private volatile long meanNanos = FIRST_GUESS_NANOS;
    private long lastNanos = -1;

    public void event(final long nowNanos)
    {
        if (lastNanos >= 0)
        {
            final long gap = Math.max(0, Math.min(MAX_NANOS, nowNanos - lastNanos));
            meanNanos += (gap - meanNanos) >> WEIGHT_SHIFT;
        }
        lastNanos = nowNanos;
    }

    /** An estimate of the time until so many further events, from 10 µs to 1 s. */
    public long nanosUntil(final int events)
    {
        return Math.max(MIN_NANOS, Math.min(MAX_NANOS, meanNanos * events));
    }
}
