// SPDX-License-Identifier: Apache-2.0
package io.signalbox.report;

import io.signalbox.report.RunReport.LatencySummary;
import org.HdrHistogram.Histogram;

/** One kind of latency: quantiles to three significant digits, mean and maximum exact. */
final class LatencyRecorder
{
    private static final int SIGNIFICANT_DIGITS = 3;

    private final Histogram histogram = new Histogram(SIGNIFICANT_DIGITS);
    private double sumNanos;
    private long maxNanos;

    void record(final long nanos)
    {
        histogram.recordValue(nanos);
        sumNanos += nanos;
        maxNanos = Math.max(maxNanos, nanos);
    }

    LatencySummary summary()
    {
        final long count = histogram.getTotalCount();
        if (count == 0)
        {
            return new LatencySummary(0, 0.0, 0, 0, 0, 0);
        }
        return new LatencySummary(count, sumNanos / count, quantile(50.0), quantile(90.0), quantile(99.0), maxNanos);
    }

    /** The histogram answers with the upper end of a bucket, which may lie above everything that was recorded. */
    private long quantile(final double percentile)
    {
        return Math.min(maxNanos, histogram.getValueAtPercentile(percentile));
    }
}
