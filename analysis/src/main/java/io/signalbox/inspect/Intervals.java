// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

/** The intervals of a table over time, from that of the first group to that of the last one, without a gap. */
final class Intervals
{
    /** More intervals than this without a group are refused, not listed. */
    private static final long MOST_EMPTY = 1_000_000;

    private final long nanos;
    private final Runnable close;
    private long nowNanos = Long.MIN_VALUE;
    private boolean isOpen;
    private long start;

    /**
     * @param nanos length of an interval, at least 1.
     * @param close called at the end of each interval.
     */
    Intervals(final long nanos, final Runnable close)
    {
        this.nanos = nanos;
        this.close = close;
    }

    /**
     * Closes the intervals before the one of a group. Different clocks may stamp the inputs of an engine; the time of a run
     * never decreases.
     *
     * @return the time of the run.
     */
    long advance(final long groupNanos)
    {
        nowNanos = Math.max(nowNanos, groupNanos);
        final long next = Math.floorDiv(nowNanos, nanos) * nanos;
        if (!isOpen)
        {
            isOpen = true;
            start = next;
        }
        if ((next - start) / nanos > MOST_EMPTY)
        {
            throw new NoRowsException("more than 1,000,000 intervals of " + nanos + " ns have no event; give a longer " +
                "--every");
        }
        while (start < next)
        {
            close.run();
            start += nanos;
        }
        return nowNanos;
    }

    /** Closes the last interval. */
    void finish()
    {
        if (isOpen)
        {
            close.run();
        }
    }

    long start()
    {
        return start;
    }

    boolean overlaps(final TimeWindow window)
    {
        return start < window.toNanos() && start + nanos > window.fromNanos();
    }
}
