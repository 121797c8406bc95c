// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench.calibration;

import io.signalbox.cost.KernelFits;
import io.signalbox.cost.NonNegativeLeastSquares;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Fits every cell by least squares of relative errors, with the weight of large ones lowered, and counts the errors. */
final class KernelFit
{
    private static final int ROUNDS = 15;
    private static final double SMALL_ERROR = 0.03;
    private static final int FEW_TOKENS = 4;
    private static final double NOTABLE_EFFECT = 0.1;

    private final Map<String, KernelFits.Cell> cells = new TreeMap<>();
    private final Map<String, double[]> sums = new TreeMap<>();
    private int pairs;
    private int rightPairs;
    private int manyTokens;
    private double errorOfManyTokens;

    KernelFit(final Map<String, List<KernelRows.Row>> rows)
    {
        rows.forEach(this::fit);
    }

    private void fit(final String name, final List<KernelRows.Row> rows)
    {
        final double[] coefficients = coefficients(rows);
        double sum = 0;
        final Map<String, Map<String, double[]>> groups = new HashMap<>();
        for (final KernelRows.Row row : rows)
        {
            final double predicted = time(coefficients, row);
            final double error = Math.abs(predicted / row.micros() - 1);
            sum += error;
            if (row.tokens() > FEW_TOKENS)
            {
                manyTokens++;
                errorOfManyTokens += error;
            }
            groups.computeIfAbsent(row.group(), group -> new HashMap<>())
                .put(row.distribution(), new double[] {row.micros(), predicted});
        }
        groups.values().forEach(this::countSkew);
        final double[] total = sums.computeIfAbsent(name.substring(0, name.indexOf('/')), kind -> new double[2]);
        total[0] += sum;
        total[1] += rows.size();
        keep(name, new KernelFits.Cell(coefficients, rows.size(), 100 * sum / rows.size()));
    }

    /** Of several kernels for the same layer, the cell with the most rows is kept under the name without a kernel. */
    private void keep(final String name, final KernelFits.Cell cell)
    {
        final String kept = name.startsWith("moe/") ? name.substring(0, name.lastIndexOf('/')) : name;
        final KernelFits.Cell other = cells.get(kept);
        if (other == null || other.rows() < cell.rows())
        {
            cells.put(kept, cell);
        }
    }

    private void countSkew(final Map<String, double[]> times)
    {
        final double[] balanced = times.get("balanced");
        times.forEach((distribution, time) ->
        {
            if (balanced != null && time != balanced && Math.abs(time[0] / balanced[0] - 1) > NOTABLE_EFFECT)
            {
                pairs++;
                rightPairs += time[0] > balanced[0] == time[1] > balanced[1] ? 1 : 0;
            }
        });
    }

    private static double time(final double[] coefficients, final KernelRows.Row row)
    {
        double time = 0;
        for (int term = 0; term < coefficients.length; term++)
        {
            time += coefficients[term] * row.terms()[term];
        }
        return time;
    }

    private static double[] coefficients(final List<KernelRows.Row> rows)
    {
        final int terms = rows.get(0).terms().length;
        final double[] largest = new double[terms];
        rows.forEach(row ->
        {
            for (int term = 0; term < terms; term++)
            {
                largest[term] = Math.max(largest[term], row.terms()[term]);
            }
        });
        final double[] weights = new double[rows.size()];
        Arrays.fill(weights, 1);
        double[] coefficients = new double[terms];
        for (int round = 0; round < ROUNDS; round++)
        {
            coefficients = weighted(rows, weights, largest);
            for (int i = 0; i < weights.length; i++)
            {
                final double error = Math.abs(time(coefficients, rows.get(i)) / rows.get(i).micros() - 1);
                weights[i] = 1 / Math.max(error, SMALL_ERROR);
            }
        }
        return coefficients;
    }

    private static double[] weighted(final List<KernelRows.Row> rows, final double[] weights, final double[] largest)
    {
        final int terms = largest.length;
        final double[][] products = new double[terms][terms];
        final double[] values = new double[terms];
        for (int i = 0; i < weights.length; i++)
        {
            final KernelRows.Row row = rows.get(i);
            final double[] relative = new double[terms];
            for (int term = 0; term < terms; term++)
            {
                relative[term] = row.terms()[term] / largest[term] / row.micros();
            }
            for (int term = 0; term < terms; term++)
            {
                values[term] += weights[i] * relative[term];
                for (int other = 0; other < terms; other++)
                {
                    products[term][other] += weights[i] * relative[term] * relative[other];
                }
            }
        }
        final double[] coefficients = NonNegativeLeastSquares.solve(products, values);
        for (int term = 0; term < terms; term++)
        {
            coefficients[term] /= largest[term];
        }
        return coefficients;
    }

    KernelFits fits()
    {
        return new KernelFits(cells);
    }

    /** Mean error and number of rows by kind of kernel. */
    Map<String, double[]> errors()
    {
        final Map<String, double[]> errors = new TreeMap<>();
        sums.forEach((kind, sum) -> errors.put(kind, new double[] {100 * sum[0] / sum[1], sum[1]}));
        return errors;
    }

    /** Mean error of MoE layers above four tokens. */
    double errorOfManyTokens()
    {
        return 100 * errorOfManyTokens / manyTokens;
    }

    /** Share of pairs, balanced and skewed, of which the slower one is predicted, if they differ by more than 10 %. */
    double rightSkewPercent()
    {
        return 100.0 * rightPairs / pairs;
    }

    int skewPairs()
    {
        return pairs;
    }
}
