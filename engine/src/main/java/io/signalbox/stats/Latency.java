// SPDX-License-Identifier: Apache-2.0
package io.signalbox.stats;

import java.util.List;
import java.util.Locale;

/**
 * Distribution of one kind of latency, in nanoseconds. Quantiles and buckets have three significant digits; values above an
 * hour count as one hour in them.
 *
 * @param buckets for a histogram, by growing bounds; also present before the first value.
 */
public record Latency(
    long count, double sumNanos, long p50Nanos, long p90Nanos, long p99Nanos, long p999Nanos, long maxNanos,
    List<Bucket> buckets)
{
    private static final double NANOS_PER_MILLI = 1e6;

    /**
     * @param count of the values up to the bound, those of lower buckets included. A value that is above the bound by less
     *              than a thousandth of it may count.
     */
    public record Bucket(long boundNanos, long count)
    {
    }

    /** 0 without a value. */
    public double meanNanos()
    {
        return count == 0 ? 0.0 : sumNanos / count;
    }

    /** Without the buckets, of which there are dozens. */
    @Override
    public String toString()
    {
        return String.format(Locale.ROOT,
            "%d values, mean %.3f ms, p50 %.3f, p90 %.3f, p99 %.3f, p99.9 %.3f, max %.3f", count,
            meanNanos() / NANOS_PER_MILLI, p50Nanos / NANOS_PER_MILLI, p90Nanos / NANOS_PER_MILLI,
            p99Nanos / NANOS_PER_MILLI, p999Nanos / NANOS_PER_MILLI, maxNanos / NANOS_PER_MILLI);
    }
}
