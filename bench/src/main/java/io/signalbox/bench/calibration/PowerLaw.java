// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench.calibration;

import io.signalbox.calibrate.AccuracyScore;
import io.signalbox.cost.Deployment;
import io.signalbox.cost.ServedPoint;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * A baseline without knowledge of models or GPUs: each time is a product of powers of concurrency, lengths and GPUs, with a
 * factor per model, GPU and engine.
 */
final class PowerLaw
{
    private static final int SLOPES = 6;
    private static final double RIDGE = 0.1;

    private final Map<String, Integer> factors = new TreeMap<>();
    private final double[] tpot;
    private final double[] ttft;

    PowerLaw(final List<ServedPoint> points)
    {
        points.forEach(point -> factors.computeIfAbsent(factor(point), name -> factors.size()));
        tpot = solve(points, ServedPoint::tpotMillis);
        ttft = solve(points, ServedPoint::ttftMillis);
    }

    static Function<ServedPoint, AccuracyScore.Prediction> fit(final List<ServedPoint> points)
    {
        final PowerLaw law = new PowerLaw(points);
        return point -> new AccuracyScore.Prediction(point, law.time(law.tpot, point), law.time(law.ttft, point));
    }

    private static String factor(final ServedPoint point)
    {
        final Deployment deployment = point.deployment();
        return deployment.model().name() + deployment.gpu() + deployment.run().engine() + deployment.precision();
    }

    private double[] terms(final ServedPoint point)
    {
        final double[] terms = new double[SLOPES + factors.size()];
        final Deployment deployment = point.deployment();
        terms[0] = StrictMath.log(point.concurrency());
        terms[1] = StrictMath.log(point.promptTokens());
        terms[2] = StrictMath.log(point.outputTokens());
        terms[3] = StrictMath.log(deployment.parallelism().gpus());
        terms[4] = deployment.parallelism().dataParallel() > 1 ? 1 : 0;
        terms[5] = 1;
        final Integer factor = factors.get(factor(point));
        if (factor != null)
        {
            terms[SLOPES + factor] = 1;
        }
        return terms;
    }

    private double time(final double[] slopes, final ServedPoint point)
    {
        final double[] terms = terms(point);
        double logarithm = 0;
        for (int i = 0; i < terms.length; i++)
        {
            logarithm += terms[i] * slopes[i];
        }
        return StrictMath.exp(logarithm);
    }

    private double[] solve(final List<ServedPoint> points, final ToDoubleFunction<ServedPoint> time)
    {
        final int size = SLOPES + factors.size();
        final double[][] rows = new double[size][size + 1];
        for (int i = 0; i < size; i++)
        {
            rows[i][i] = i < SLOPES ? 1e-9 : RIDGE;
        }
        for (final ServedPoint point : points)
        {
            final double[] terms = terms(point);
            for (int i = 0; i < size; i++)
            {
                for (int j = 0; j < size; j++)
                {
                    rows[i][j] += terms[i] * terms[j];
                }
                rows[i][size] += terms[i] * StrictMath.log(time.applyAsDouble(point));
            }
        }
        return eliminated(rows);
    }

    private static double[] eliminated(final double[][] rows)
    {
        final int size = rows.length;
        for (int pivot = 0; pivot < size; pivot++)
        {
            for (int row = 0; row < size; row++)
            {
                final double share = row == pivot ? 0 : rows[row][pivot] / rows[pivot][pivot];
                for (int column = pivot; column <= size && share != 0; column++)
                {
                    rows[row][column] -= share * rows[pivot][column];
                }
            }
        }
        final List<Double> solution = new ArrayList<>();
        for (int i = 0; i < size; i++)
        {
            solution.add(rows[i][size] / rows[i][i]);
        }
        return solution.stream().mapToDouble(value -> value).toArray();
    }
}
