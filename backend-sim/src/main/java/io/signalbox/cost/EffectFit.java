// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cost;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Fits {@link ScaleEffects}: the most probable logarithms if each is normal around zero with a deviation per level, and the
 * logarithm of a measurement is normal around that of the sum of scaled terms, with outliers weighed down. Gauss-Newton
 * in the space of measurements, whose number is smaller than that of effects.
 */
final class EffectFit
{
    private static final int MAX_STEPS = 40;
    private static final int LEAST_STEPS = 4;
    private static final double LEAST_GAIN = 1e-4;
    private static final double LEAST_STEP = 1e-3;
    /** Deviations from which a residual counts linearly. */
    private static final double OUTLIER = 2.0;

    private final double[] start;
    private final double[] levelDeviations;
    private final double noise;
    private final List<double[]> terms = new ArrayList<>();
    private final List<int[]> groups = new ArrayList<>();
    private final List<Double> logarithms = new ArrayList<>();
    private final Map<String, Integer> indexes = new TreeMap<>();
    private final List<Integer> levels = new ArrayList<>();
    private double[][] effects;
    private double[] residuals;
    private double[][] shares;
    /** Variance of the effects that two measurements share. */
    private double[][] sharedVariance;

    /**
     * @param start           scales of the terms before the fit.
     * @param levelDeviations deviation of an effect, by the digit with which the name of its group starts.
     * @param noise           deviation of a measurement's logarithm.
     */
    EffectFit(final double[] start, final double[] levelDeviations, final double noise)
    {
        this.start = start.clone();
        this.levelDeviations = levelDeviations.clone();
        this.noise = noise;
    }

    /** @param values of the terms, not negative, of a measurement above 0. */
    void add(final List<String> groupNames, final double[] values, final double measured)
    {
        final int[] numbers = new int[groupNames.size()];
        for (int i = 0; i < numbers.length; i++)
        {
            final String group = groupNames.get(i);
            numbers[i] = indexes.computeIfAbsent(group, name ->
            {
                levels.add(name.charAt(0) - '0');
                return indexes.size();
            });
        }
        groups.add(numbers);
        terms.add(values.clone());
        logarithms.add(StrictMath.log(measured));
    }

    /** The effects; the logarithms of the start are in the group of level 0. */
    ScaleEffects fit()
    {
        effects = new double[levels.size()][start.length];
        sharedVariance = sharedVariance();
        double objective = evaluate(effects);
        for (int step = 0; step < MAX_STEPS; step++)
        {
            final double[][] target = target();
            final double[][] before = effects;
            double reached = objective;
            double part = 1;
            do
            {
                effects = between(before, target, part);
                reached = evaluate(effects);
                part /= 2;
            }
            while (reached >= objective && part >= LEAST_STEP);
            final double gain = objective - reached;
            objective = reached;
            if (gain < LEAST_GAIN * Math.max(1, objective) && step >= LEAST_STEPS)
            {
                break;
            }
        }
        final Map<String, double[]> named = new TreeMap<>();
        indexes.forEach((group, index) -> named.put(group, ofGroup(index)));
        return new ScaleEffects(named);
    }

    private double[] ofGroup(final int index)
    {
        final double[] effect = effects[index].clone();
        for (int term = 0; term < effect.length && levels.get(index) == 0; term++)
        {
            effect[term] += StrictMath.log(start[term]);
        }
        return effect;
    }

    private static double[][] between(final double[][] from, final double[][] to, final double part)
    {
        final double[][] between = new double[from.length][];
        for (int group = 0; group < from.length; group++)
        {
            between[group] = from[group].clone();
            for (int term = 0; term < between[group].length; term++)
            {
                between[group][term] += part * (to[group][term] - from[group][term]);
            }
        }
        return between;
    }

    private double variance(final int group)
    {
        final double deviation = levelDeviations[levels.get(group)];
        return deviation * deviation;
    }

    /** Sets residuals and shares of the terms, and returns the objective. */
    private double evaluate(final double[][] at)
    {
        final int count = terms.size();
        residuals = new double[count];
        shares = new double[count][start.length];
        double objective = 0;
        for (int i = 0; i < count; i++)
        {
            double sum = 0;
            for (int term = 0; term < start.length; term++)
            {
                double logarithm = 0;
                for (final int group : groups.get(i))
                {
                    logarithm += at[group][term];
                }
                shares[i][term] = terms.get(i)[term] * start[term] * StrictMath.exp(logarithm);
                sum += shares[i][term];
            }
            for (int term = 0; term < start.length; term++)
            {
                shares[i][term] /= sum;
            }
            residuals[i] = logarithms.get(i) - StrictMath.log(sum);
            final double deviations = Math.abs(residuals[i]) / noise;
            objective += deviations < OUTLIER ? deviations * deviations / 2 : OUTLIER * (deviations - OUTLIER / 2);
        }
        for (int group = 0; group < at.length; group++)
        {
            for (final double effect : at[group])
            {
                objective += effect * effect / variance(group) / 2;
            }
        }
        return objective;
    }

    /** The most probable effects if the sum of terms were linear around the current ones. */
    private double[][] target()
    {
        final int count = terms.size();
        final double[][] matrix = new double[count][count];
        final double[] right = new double[count];
        for (int i = 0; i < count; i++)
        {
            for (int j = 0; j <= i; j++)
            {
                matrix[i][j] = sharedVariance[i][j] * product(shares[i], shares[j]);
                matrix[j][i] = matrix[i][j];
            }
            final double weight = Math.min(1, OUTLIER * noise / Math.max(1e-12, Math.abs(residuals[i])));
            matrix[i][i] += noise * noise / weight;
            right[i] = residuals[i];
            for (final int group : groups.get(i))
            {
                right[i] += product(shares[i], effects[group]);
            }
        }
        final double[] solution = LinearSystem.solveSymmetric(matrix, right);
        final double[][] target = new double[levels.size()][start.length];
        for (int i = 0; i < count; i++)
        {
            for (final int group : groups.get(i))
            {
                for (int term = 0; term < start.length; term++)
                {
                    target[group][term] += variance(group) * shares[i][term] * solution[i];
                }
            }
        }
        return target;
    }

    private double[][] sharedVariance()
    {
        final int count = terms.size();
        final double[][] shared = new double[count][];
        for (int i = 0; i < count; i++)
        {
            shared[i] = new double[i + 1];
            for (int j = 0; j <= i; j++)
            {
                for (final int group : groups.get(i))
                {
                    shared[i][j] += contains(groups.get(j), group) ? variance(group) : 0;
                }
            }
        }
        return shared;
    }

    private static boolean contains(final int[] numbers, final int number)
    {
        for (final int other : numbers)
        {
            if (other == number)
            {
                return true;
            }
        }
        return false;
    }

    private static double product(final double[] left, final double[] right)
    {
        double sum = 0;
        for (int i = 0; i < left.length; i++)
        {
            sum += left[i] * right[i];
        }
        return sum;
    }
}
