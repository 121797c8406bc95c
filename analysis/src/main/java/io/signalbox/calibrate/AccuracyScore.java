// SPDX-License-Identifier: Apache-2.0
package io.signalbox.calibrate;

import io.signalbox.cost.ServedPoint;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Errors of predictions against measured points, in percent of each measurement.
 *
 * @param tpotShape of the ratio to the point of the lowest concurrency of the same curve; not one for that point itself.
 */
public record AccuracyScore(ErrorSummary tpot, ErrorSummary ttft, ErrorSummary tpotShape, ErrorSummary ttftShape)
{
    /**
     * The predictions for one point.
     */
    public record Prediction(ServedPoint point, double tpotMillis, double ttftMillis)
    {
    }

    /** Absolute relative errors; NaN if there are none. */
    public record ErrorSummary(int count, double meanPercent, double medianPercent)
    {
        static ErrorSummary of(final List<Double> errors)
        {
            final double[] sorted = errors.stream().mapToDouble(error -> error).sorted().toArray();
            if (sorted.length == 0)
            {
                return new ErrorSummary(0, Double.NaN, Double.NaN);
            }
            double sum = 0;
            for (final double error : sorted)
            {
                sum += error;
            }
            final int half = sorted.length / 2;
            final double median = sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
            return new ErrorSummary(sorted.length, 100 * sum / sorted.length, 100 * median);
        }
    }

    public static AccuracyScore of(final List<Prediction> predictions)
    {
        final List<Double> tpot = new ArrayList<>();
        final List<Double> ttft = new ArrayList<>();
        final Map<String, List<Prediction>> curves = new HashMap<>();
        for (final Prediction each : predictions)
        {
            tpot.add(error(each.tpotMillis(), each.point().tpotMillis()));
            ttft.add(error(each.ttftMillis(), each.point().ttftMillis()));
            curves.computeIfAbsent(each.point().group(), group -> new ArrayList<>()).add(each);
        }
        final List<Double> tpotShape = new ArrayList<>();
        final List<Double> ttftShape = new ArrayList<>();
        for (final List<Prediction> curve : curves.values())
        {
            final Prediction lowest =
                curve.stream().min(Comparator.comparingInt(each -> each.point().concurrency())).orElseThrow();
            for (final Prediction each : curve)
            {
                if (each.point().concurrency() > lowest.point().concurrency())
                {
                    tpotShape.add(error(each.tpotMillis() / lowest.tpotMillis(),
                        each.point().tpotMillis() / lowest.point().tpotMillis()));
                    ttftShape.add(error(each.ttftMillis() / lowest.ttftMillis(),
                        each.point().ttftMillis() / lowest.point().ttftMillis()));
                }
            }
        }
        return new AccuracyScore(ErrorSummary.of(tpot), ErrorSummary.of(ttft), ErrorSummary.of(tpotShape),
            ErrorSummary.of(ttftShape));
    }

    private static double error(final double predicted, final double measured)
    {
        return Math.abs(predicted / measured - 1);
    }
}
