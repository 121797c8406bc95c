// SPDX-License-Identifier: Apache-2.0
package io.signalbox.stats;

import java.util.List;

/**
 * Distribution of one kind of latency, in nanoseconds. Quantiles and buckets have three significant digits; values above an
 * hour count as one hour in them.
 *
 * @param buckets for a histogram, by growing bounds; empty without a value.
 */
public record Latency(
    long count, double sumNanos, long p50Nanos, long p90Nanos, long p99Nanos, long p999Nanos, long maxNanos,
    List<Bucket> buckets)
{
    /** No value yet. */
    static final Latency NONE = new Latency(0, 0.0, 0, 0, 0, 0, 0, List.of());

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
}
