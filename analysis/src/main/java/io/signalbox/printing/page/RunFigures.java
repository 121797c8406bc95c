// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing.page;

import io.signalbox.inspect.history.PastRequest;
import io.signalbox.inspect.history.RunHistory;
import io.signalbox.inspect.history.TimeBins;
import io.signalbox.report.ServiceLevel;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/** Series over the time of a run, in intervals that the charts share. Times of the charts are seconds from the origin. */
final class RunFigures
{
    static final double NANOS_PER_SECOND = 1e9;
    private static final int RATE_BINS = 120;
    private static final int LEVEL_BINS = 360;
    private static final int LANE_BINS = 180;
    private static final int SPARK_BINS = 60;
    /** Round lengths in seconds, as multiples of a power of ten below a minute. */
    private static final double[] ROUND = {1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.01,
        0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14_400, 21_600, 43_200,
        86_400, 172_800, 864_000, 8_640_000, 86_400_000, 864_000_000};

    private final RunHistory history;
    private final ServiceLevel level;
    private final double seconds;
    final Grid rates;
    final Grid levels;
    final Grid lanes;
    final Grid sparks;

    /** Equal intervals from the origin on; the last one ends with the run. */
    final class Grid
    {
        /** Length in seconds. */
        final double width;
        final int count;
        /** Positions of the edges in a plot. */
        final double[] edges;

        private Grid(final int bins)
        {
            final double fine = history.bins().widthNanos() / NANOS_PER_SECOND;
            width = multiple(seconds / bins, fine);
            count = (int)Math.max(1, StrictMath.ceil(seconds / width - 1e-9));
            edges = new double[count + 1];
            for (int i = 0; i <= count; i++)
            {
                edges[i] = StrictMath.round(x(Math.min(seconds, i * width)));
            }
        }

        /** Seconds of an interval; the last one may be shorter. */
        double length(final int bin)
        {
            return Math.max(1e-9, Math.min(seconds, (bin + 1) * width) - bin * width);
        }

        int bin(final double second)
        {
            return (int)Math.max(0, Math.min(count - 1, StrictMath.floor(second / width + 1e-9)));
        }

        /** Requests by the interval of a time of theirs; those without it are left out. */
        List<List<PastRequest>> requests(final ToDoubleFunction<PastRequest> second)
        {
            final List<List<PastRequest>> bins = new ArrayList<>();
            for (int i = 0; i < count; i++)
            {
                bins.add(new ArrayList<>());
            }
            for (final PastRequest request : history.requests())
            {
                final double at = second.applyAsDouble(request);
                if (!Double.isNaN(at) && at <= seconds)
                {
                    bins.get(bin(at)).add(request);
                }
            }
            return bins;
        }

        /** The mean of a level, or the rate of a sum, per interval. */
        double[] sums(final int row)
        {
            final TimeBins bins = history.bins();
            final int fine = (int)StrictMath.round(width * NANOS_PER_SECOND / bins.widthNanos());
            final double[] sums = new double[count];
            for (int i = 0; i < count; i++)
            {
                for (int k = 0; k < fine; k++)
                {
                    sums[i] += bins.get(row, i * fine + k);
                }
                sums[i] /= length(i);
            }
            return sums;
        }

        /** A level that was summed in nanoseconds. */
        double[] means(final int row)
        {
            return Arrays.stream(sums(row)).map(sum -> sum / NANOS_PER_SECOND).toArray();
        }
    }

    RunFigures(final RunHistory history, final ServiceLevel level)
    {
        this.history = history;
        this.level = level;
        seconds = history.lengthNanos() / NANOS_PER_SECOND;
        rates = new Grid(RATE_BINS);
        levels = new Grid(LEVEL_BINS);
        lanes = new Grid(LANE_BINS);
        sparks = new Grid(SPARK_BINS);
    }

    private static double multiple(final double wanted, final double fine)
    {
        double best = fine;
        for (final double width : ROUND)
        {
            final double times = width / fine;
            final boolean isMultiple = times > 0.999 && Math.abs(times - StrictMath.rint(times)) < 1e-6;
            if (isMultiple && Math.abs(StrictMath.log(width / wanted)) < Math.abs(StrictMath.log(best / wanted)))
            {
                best = width;
            }
        }
        return best;
    }

    RunHistory history()
    {
        return history;
    }

    /** {@code null} if no limits are given. */
    ServiceLevel level()
    {
        return level;
    }

    double seconds()
    {
        return seconds;
    }

    /** Seconds from the origin of a logical time. */
    double second(final long nanos)
    {
        return (nanos - history.originNanos()) / NANOS_PER_SECOND;
    }

    /** The position of a time in a plot. */
    double x(final double second)
    {
        return Math.max(0, Math.min(1, second / seconds)) * Plot.WIDTH;
    }

    double submitted(final PastRequest request)
    {
        return second(request.submitNanos());
    }

    double admitted(final PastRequest request)
    {
        return request.queuedNanos() < 0 ? Double.NaN : second(request.submitNanos() + request.queuedNanos());
    }

    double ended(final PastRequest request)
    {
        return request.totalNanos() < 0 ? Double.NaN : second(request.submitNanos() + request.totalNanos());
    }

    /** The smallest value that at least so large a part of the values do not exceed; NaN without a value. */
    static double quantile(final List<PastRequest> requests, final double part, final ToLongFunction<PastRequest> time)
    {
        return quantile(requests.stream().mapToLong(time).filter(nanos -> nanos >= 0).sorted().toArray(), part);
    }

    static double quantile(final long[] sorted, final double part)
    {
        return sorted.length == 0 ? Double.NaN :
            sorted[(int)Math.min(sorted.length - 1, Math.max(0, StrictMath.ceil(part * sorted.length) - 1))];
    }

    static double[] quantiles(
        final List<List<PastRequest>> bins, final double part, final ToLongFunction<PastRequest> time)
    {
        return bins.stream().mapToDouble(bin -> quantile(bin, part, time)).toArray();
    }

    /** Requests per second. */
    double[] perSecond(final Grid grid, final List<List<PastRequest>> bins, final Predicate<PastRequest> counted)
    {
        final double[] rates = new double[bins.size()];
        for (int i = 0; i < rates.length; i++)
        {
            rates[i] = bins.get(i).stream().filter(counted).count() / grid.length(i);
        }
        return rates;
    }

    /** The share of prompt tokens that were cached; NaN without an admission. */
    static double hitRate(final List<PastRequest> requests)
    {
        final long prompts = requests.stream().mapToLong(PastRequest::promptTokens).sum();
        return prompts == 0 ? Double.NaN :
            (double)requests.stream().mapToLong(PastRequest::cachedTokens).sum() / prompts;
    }

    /** The share of counted requests within the limits; NaN without one. */
    double metShare(final List<PastRequest> requests)
    {
        final long counted = requests.stream().filter(PastRequest::isCounted).count();
        return level == null || counted == 0 ? Double.NaN :
            (double)requests.stream().filter(request -> request.isWithin(level)).count() / counted;
    }

    static double max(final double... values)
    {
        return Arrays.stream(values).filter(value -> !Double.isNaN(value)).max().orElse(0);
    }

    static double mean(final double... values)
    {
        return Arrays.stream(values).filter(value -> !Double.isNaN(value)).average().orElse(Double.NaN);
    }
}
