// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect.history;

import java.util.Arrays;

/**
 * Sums over intervals of time of several rows. The length of the run is not known before its end, so the intervals grow with
 * it: if there are too many, each row adds up neighbours. Each length divides the next one.
 */
public final class TimeBins
{
    /** More intervals than this become longer ones. */
    private static final int MOST_BINS = 1440;
    private static final long MILLISECOND = 1_000_000L;
    private static final long SECOND = 1_000 * MILLISECOND;
    private static final long MINUTE = 60 * SECOND;
    private static final long HOUR = 60 * MINUTE;
    private static final long[] WIDTHS = {
        1_000, 2_000, 10_000, 20_000, 100_000, 200_000, MILLISECOND, 2 * MILLISECOND, 10 * MILLISECOND, 20 * MILLISECOND,
        100 * MILLISECOND, 200 * MILLISECOND, SECOND, 2 * SECOND, 10 * SECOND, 30 * SECOND, MINUTE, 2 * MINUTE,
        10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR, 48 * HOUR, 240 * HOUR, 480 * HOUR,
        2400 * HOUR, 24_000 * HOUR, 240_000 * HOUR, 2_400_000 * HOUR};

    private final long originNanos;
    private final double[][] rows;
    private int step;

    TimeBins(final int rowCount, final long originNanos)
    {
        this.originNanos = originNanos;
        rows = new double[rowCount][8];
    }

    /** Length of an interval. */
    public long widthNanos()
    {
        return WIDTHS[step];
    }

    /** The sum of a row in an interval; 0 for an interval without events. */
    public double get(final int row, final int bin)
    {
        return bin < rows[row].length ? rows[row][bin] : 0;
    }

    /** Adds an amount at a time. */
    void add(final int row, final long nanos, final double amount)
    {
        rows[row] = withRoom(row, bin(nanos));
        rows[row][bin(nanos)] += amount;
    }

    /** Adds {@code level} for each nanosecond from {@code fromNanos} to {@code toNanos}. */
    void addLevel(final int row, final long fromNanos, final long toNanos, final double level)
    {
        if (level == 0 || toNanos <= fromNanos)
        {
            return;
        }
        final int last = bin(toNanos - 1);
        rows[row] = withRoom(row, last);
        final long width = widthNanos();
        for (int at = bin(fromNanos); at <= last; at++)
        {
            final long begin = Math.max(fromNanos, originNanos + at * width);
            final long end = Math.min(toNanos, originNanos + (at + 1) * width);
            rows[row][at] += level * Math.max(0, end - begin);
        }
    }

    private double[] withRoom(final int row, final int bin)
    {
        return bin < rows[row].length ? rows[row] :
            Arrays.copyOf(rows[row], Math.min(MOST_BINS, Math.max(bin + 1, 2 * rows[row].length)));
    }

    /** Grows the intervals until the time has one; times before the origin belong to the first interval. */
    private int bin(final long nanos)
    {
        final long since = Math.max(0, nanos - originNanos);
        while (since / widthNanos() >= MOST_BINS)
        {
            final int factor = (int)(WIDTHS[step + 1] / WIDTHS[step]);
            step++;
            for (int row = 0; row < rows.length; row++)
            {
                rows[row] = merged(rows[row], factor);
            }
        }
        return (int)(since / widthNanos());
    }

    private static double[] merged(final double[] fine, final int factor)
    {
        final double[] coarse = new double[(fine.length + factor - 1) / factor];
        for (int i = 0; i < fine.length; i++)
        {
            coarse[i / factor] += fine[i];
        }
        return coarse;
    }
}
