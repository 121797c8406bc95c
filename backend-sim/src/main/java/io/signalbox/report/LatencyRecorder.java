// SPDX-License-Identifier: Apache-2.0
package io.signalbox.report;

import io.signalbox.report.RunReport.LatencySummary;
import org.HdrHistogram.Histogram;

/** One kind of latency: quantiles to three significant digits, mean and maximum exact. */
public final class LatencyRecorder
{
    private static final int SIGNIFICANT_DIGITS = 3;

    private final Histogram histogram = new Histogram(SIGNIFICANT_DIGITS);
    private long sumNanos;
    private long maxNanos;
    /** The latency that was recorded last, so many times in a row: the requests of a batch have equal ones. */
    private long lastNanos;
    private int times;

    public void record(final long nanos)
    {
        if (nanos != lastNanos || times == Integer.MAX_VALUE)
        {
            count();
            lastNanos = nanos;
        }
        times++;
    }

    private void count()
    {
        if (times > 0)
        {
            histogram.recordValueWithCount(lastNanos, times);
            sumNanos += lastNanos * times;
            maxNanos = Math.max(maxNanos, lastNanos);
            times = 0;
        }
    }

    /** The latencies up to now. */
    public LatencySummary summary()
    {
        count();
        final long count = histogram.getTotalCount();
        if (count == 0)
        {
            return new LatencySummary(0, Double.NaN, null, null, null, null);
        }
        return new LatencySummary(count, (double)sumNanos / count, quantile(50.0), quantile(90.0), quantile(99.0), maxNanos);
    }

    /** The histogram answers with the upper end of a bucket, which may lie above everything that was recorded. */
    private long quantile(final double percentile)
    {
        return Math.min(maxNanos, histogram.getValueAtPercentile(percentile));
    }
}
