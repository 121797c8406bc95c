// SPDX-License-Identifier: Apache-2.0
package io.signalbox.calibrate;

import io.signalbox.ConfigException;
import io.signalbox.cost.CostFile;
import io.signalbox.cost.PartFit;
import io.signalbox.cost.ServedStepCost;
import io.signalbox.cost.StepPart;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * Fits the step cost of a deployment to measured points, such that simulated closed loops have the measured TTFT and TPOT.
 * Each round simulates the points, finds by which parts of its steps each latency is made, and scales the parts.
 *
 * @param scales by {@link StepPart}, relative to the cost before the fit.
 */
public record Calibration(CostFile file, double[] scales, List<FittedPoint> points)
{
    public static final int MAX_POINTS = 200;
    private static final int ROUNDS = 3;
    /** Deviation of the logarithm of a scale of a deployment with a model of its own, and of an unknown one. */
    private static final double KNOWN_DEVIATION = 0.7;
    private static final double UNKNOWN_DEVIATION = 2.0;
    private static final double TPOT_NOISE = 0.05;
    private static final double PROMPT_STEP_MICROS = 15_000;
    /** Times of a rank of some size; the fit may move each of them far. */
    private static final double[] UNKNOWN_MICROS = {8000, 10, 100, 0.05};

    /**
     * A point with what a simulation of the fitted cost says.
     *
     * @param leftOutTtftPercent its error if the fit does not know the point; NaN: not measured, or too few points.
     * @param leftOutTpotPercent the same.
     */
    public record FittedPoint(
        LoadPoint point, double ttftMillis, double tpotMillis, double leftOutTtftPercent, double leftOutTpotPercent)
    {
        public double ttftErrorPercent()
        {
            return percent(ttftMillis, point.ttftMillis());
        }

        public double tpotErrorPercent()
        {
            return percent(tpotMillis, point.tpotMillis());
        }
    }

    private static double percent(final double predicted, final double measured)
    {
        return 100 * (predicted / measured - 1);
    }

    /**
     * @param known    the deployment's cost before the fit; {@code null}: nothing is known about it.
     * @param progress receives the number of simulated points.
     * @throws ConfigException if there are too many points.
     */
    public static Calibration of(
        final String name, final List<LoadPoint> points, final ServedStepCost known, final IntConsumer progress)
    {
        if (points.size() > MAX_POINTS)
        {
            throw new ConfigException("the files have " + points.size() + " points; give at most " + MAX_POINTS +
                " points of one deployment.");
        }
        final ServedStepCost start = (known == null ? ServedStepCost.linear(name, UNKNOWN_MICROS) : known)
            .withPromptStep(PROMPT_STEP_MICROS);
        final double deviation = known == null ? UNKNOWN_DEVIATION : KNOWN_DEVIATION;
        double[] scales = new double[StepPart.values().length];
        Arrays.fill(scales, 1);
        List<LoadLoop.Result> loops = List.of();
        for (int round = 0; round < ROUNDS; round++)
        {
            loops = simulate(points, start.scaled(scales), round * points.size(), progress);
            scales = fit(points, unscaled(loops, scales), deviation, -1);
        }
        final ServedStepCost cost = start.scaled(scales).named(known == null ? name : known.deployment() + ", calibrated");
        final List<LoadLoop.Result> last = simulate(points, cost, ROUNDS * points.size(), progress);
        final List<Parts> parts = unscaled(last, scales);
        return new Calibration(new CostFile(cost, most(points, true), most(points, false)), scales,
            IntStream.range(0, points.size()).mapToObj(i -> fitted(points, i, last.get(i), parts, deviation)).toList());
    }

    /** Number of simulations of a calibration. */
    public static int simulations(final int points)
    {
        return (ROUNDS + 1) * points;
    }

    private static int most(final List<LoadPoint> points, final boolean ofPrompts)
    {
        // Lengths of requests differ by a ninth around their mean.
        return points.stream().mapToInt(point ->
            ofPrompts ? point.promptTokens() + point.promptTokens() / 9 : point.concurrency()).max().orElse(0);
    }

    private static List<LoadLoop.Result> simulate(
        final List<LoadPoint> points, final ServedStepCost cost, final int before, final IntConsumer progress)
    {
        final List<LoadLoop.Result> results = new ArrayList<>();
        for (final LoadPoint point : points)
        {
            results.add(LoadLoop.run(point, cost));
            progress.accept(before + results.size());
        }
        return results;
    }

    /** Milliseconds of a point by part, with scales of 1. */
    private record Parts(double[] ttft, double[] tpot)
    {
    }

    private static List<Parts> unscaled(final List<LoadLoop.Result> loops, final double[] scales)
    {
        return loops.stream().map(loop -> new Parts(divided(loop.ttftParts(), scales), divided(loop.tpotParts(), scales)))
            .toList();
    }

    private static double[] divided(final double[] values, final double[] by)
    {
        return IntStream.range(0, values.length).mapToDouble(i -> values[i] / by[i]).toArray();
    }

    /** @param leftOut a point that the fit does not see; -1: none. */
    private static double[] fit(
        final List<LoadPoint> points, final List<Parts> parts, final double deviation, final int leftOut)
    {
        final PartFit fit = new PartFit(deviation, TPOT_NOISE);
        for (int i = 0; i < points.size(); i++)
        {
            if (i != leftOut)
            {
                fit.add(parts.get(i).tpot, points.get(i).tpotMillis());
                if (!Double.isNaN(points.get(i).ttftMillis()))
                {
                    fit.add(parts.get(i).ttft, points.get(i).ttftMillis());
                }
            }
        }
        return fit.scales();
    }

    private static FittedPoint fitted(final List<LoadPoint> points, final int index, final LoadLoop.Result loop,
        final List<Parts> parts, final double deviation)
    {
        final LoadPoint point = points.get(index);
        if (points.size() < 3)
        {
            return new FittedPoint(point, loop.ttftMillis(), loop.tpotMillis(), Double.NaN, Double.NaN);
        }
        final double[] scales = fit(points, parts, deviation, index);
        return new FittedPoint(point, loop.ttftMillis(), loop.tpotMillis(),
            percent(sum(parts.get(index).ttft, scales), point.ttftMillis()),
            percent(sum(parts.get(index).tpot, scales), point.tpotMillis()));
    }

    private static double sum(final double[] parts, final double[] scales)
    {
        return IntStream.range(0, parts.length).mapToDouble(i -> parts[i] * scales[i]).sum();
    }

    /** Mean absolute errors in percent, of points whose latency was measured; NaN if there are none. */
    public double meanPercent(final ToDoubleFunction<FittedPoint> error)
    {
        return points.stream().mapToDouble(error).filter(value -> !Double.isNaN(value)).map(Math::abs).average()
            .orElse(Double.NaN);
    }
}
