// SPDX-License-Identifier: Apache-2.0
package io.signalbox.stats;

/**
 * Distribution of one kind of latency, in nanoseconds. Quantiles have three significant digits; values above an hour count
 * as one hour in them.
 */
public record Latency(
    long count, double sumNanos, long p50Nanos, long p90Nanos, long p99Nanos, long p999Nanos, long maxNanos)
{
    /** 0 without a value. */
    public double meanNanos()
    {
        return count == 0 ? 0.0 : sumNanos / count;
    }
}
