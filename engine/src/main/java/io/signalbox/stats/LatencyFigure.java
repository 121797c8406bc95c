// SPDX-License-Identifier: Apache-2.0
package io.signalbox.stats;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

import java.util.concurrent.TimeUnit;

/**
 * Latencies since the beginning, recorded without garbage. {@link #record} and {@link #turn} exclude each other; {@link
 * #latency} follows {@link #turn} in the same thread and may run beside {@link #record}. The range is fixed, so that no
 * histogram ever grows.
 */
final class LatencyFigure
{
    private static final int SIGNIFICANT_DIGITS = 3;
    private static final long LONGEST_NANOS = TimeUnit.HOURS.toNanos(1);

    private final SingleWriterRecorder recorder = new SingleWriterRecorder(LONGEST_NANOS, SIGNIFICANT_DIGITS);
    private final Histogram total = new Histogram(LONGEST_NANOS, SIGNIFICANT_DIGITS);
    private Histogram interval;
    private double sum;
    private long max;
    private double sumAtTurn;
    private long maxAtTurn;

    /** @param nanos negative ones, of clocks that disagree, count as 0. */
    void record(final long nanos)
    {
        final long value = Math.max(0, nanos);
        recorder.recordValue(Math.min(value, LONGEST_NANOS));
        sum += value;
        max = Math.max(max, value);
    }

    /** Later values are not part of the next {@link #latency}. */
    void turn()
    {
        interval = recorder.getIntervalHistogram(interval);
        sumAtTurn = sum;
        maxAtTurn = max;
    }

    Latency latency()
    {
        total.add(interval);
        final long count = total.getTotalCount();
        if (count == 0)
        {
            return new Latency(0, 0.0, 0, 0, 0, 0, 0);
        }
        return new Latency(count, sumAtTurn, quantile(50.0), quantile(90.0), quantile(99.0), quantile(99.9), maxAtTurn);
    }

    /** The histogram answers with the upper end of a bucket, which may lie above everything that was recorded. */
    private long quantile(final double percentile)
    {
        return Math.min(maxAtTurn, total.getValueAtPercentile(percentile));
    }
}
