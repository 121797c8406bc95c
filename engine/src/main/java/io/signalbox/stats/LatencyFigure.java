// SPDX-License-Identifier: Apache-2.0
package io.signalbox.stats;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/** Latencies, recorded without garbage; of one thread at a time. The range is fixed, so that no histogram ever grows. */
final class LatencyFigure
{
    private static final int SIGNIFICANT_DIGITS = 3;
    private static final long LONGEST_NANOS = TimeUnit.HOURS.toNanos(1);

    /** All bounds that vLLM's histograms of latencies have within the range, and finer ones below them. */
    private static final long[] BOUNDS = LongStream.concat(
        LongStream.of(10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000),
        LongStream.of(10, 20, 25, 40, 50, 60, 75, 80, 100, 150, 200, 250, 300, 400, 500, 750, 800, 1_000, 1_500, 2_000,
            2_500, 5_000, 7_500, 10_000, 15_000, 20_000, 30_000, 40_000, 50_000, 60_000, 80_000, 120_000, 160_000, 240_000,
            480_000, 640_000, 960_000, 1_920_000, 2_560_000).map(TimeUnit.MILLISECONDS::toMicros))
        .map(TimeUnit.MICROSECONDS::toNanos).toArray();

    private final Histogram histogram = new Histogram(LONGEST_NANOS, SIGNIFICANT_DIGITS);
    private double sum;
    private long max;

    /** @param nanos negative ones, of clocks that disagree, count as 0. */
    void record(final long nanos, final long times)
    {
        final long value = Math.max(0, nanos);
        histogram.recordValueWithCount(Math.min(value, LONGEST_NANOS), times);
        sum += (double)value * times;
        max = Math.max(max, value);
    }

    void reset()
    {
        // An empty one costs nothing; the others cost a walk over all of their counts.
        if (histogram.getTotalCount() > 0)
        {
            histogram.reset();
        }
        sum = 0;
        max = 0;
    }

    void add(final LatencyFigure later)
    {
        if (later.histogram.getTotalCount() > 0)
        {
            histogram.add(later.histogram);
        }
        sum += later.sum;
        max = Math.max(max, later.max);
    }

    Latency latency()
    {
        return new Latency(histogram.getTotalCount(), sum,
            quantile(50.0), quantile(90.0), quantile(99.0), quantile(99.9), max, buckets());
    }

    /** The histogram answers with the upper end of a bucket, which may lie above everything that was recorded. */
    private long quantile(final double percentile)
    {
        return Math.min(max, histogram.getValueAtPercentile(percentile));
    }

    private List<Latency.Bucket> buckets()
    {
        final List<Latency.Bucket> buckets = new ArrayList<>(BOUNDS.length);
        long counted = 0;
        for (final HistogramIterationValue value : histogram.recordedValues())
        {
            final long lowest = histogram.lowestEquivalentValue(value.getValueIteratedTo());
            while (buckets.size() < BOUNDS.length && BOUNDS[buckets.size()] < lowest)
            {
                buckets.add(new Latency.Bucket(BOUNDS[buckets.size()], counted));
            }
            counted += value.getCountAddedInThisIterationStep();
        }
        while (buckets.size() < BOUNDS.length)
        {
            buckets.add(new Latency.Bucket(BOUNDS[buckets.size()], counted));
        }
        return List.copyOf(buckets);
    }
}
