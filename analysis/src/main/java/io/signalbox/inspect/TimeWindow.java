// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

/** Logical times from {@code fromNanos}, included, to {@code toNanos}, not included. */
public record TimeWindow(long fromNanos, long toNanos)
{
    /** All of a journal. */
    public static final TimeWindow ALL = new TimeWindow(Long.MIN_VALUE, Long.MAX_VALUE);

    boolean has(final long nanos)
    {
        return nanos >= fromNanos && nanos < toNanos;
    }
}
