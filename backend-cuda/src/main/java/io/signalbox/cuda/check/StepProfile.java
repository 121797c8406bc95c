// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.Quantiles;
import io.signalbox.cuda.driver.LaunchTraits;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Times of the launches of one step, measured several times.
 *
 * @param launches         of the step, in order.
 * @param micros           {@code [step][launch]}: from the event before the launch to the event after it.
 * @param graphMicros      of each step as one graph.
 * @param eagerMicros      of each step as single launches without events between them.
 * @param expertsOfLayers  experts that the step read, summed over the layers.
 */
record StepProfile(
    List<LaunchTraits> launches, double[][] micros, double[] graphMicros, double[] eagerMicros, int expertsOfLayers)
{
    /**
     * The launches of one kernel; products with matrices of different shapes are apart.
     *
     * @param name       of the kernel, and the shape of its matrix.
     * @param launches   of a step.
     * @param micros     of all launches of a step, median over the steps.
     * @param eachMicros of one launch, median over launches and steps.
     */
    record Row(String name, LaunchTraits traits, int launches, double micros, double eachMicros)
    {
    }

    /** In the order of the step. */
    List<Row> rows()
    {
        final Map<LaunchTraits, List<Integer>> places = new LinkedHashMap<>();
        for (int i = 0; i < launches.size(); i++)
        {
            places.computeIfAbsent(launches.get(i), traits -> new ArrayList<>()).add(i);
        }
        return places.entrySet().stream().map(entry -> row(entry.getKey(), entry.getValue())).toList();
    }

    private Row row(final LaunchTraits traits, final List<Integer> places)
    {
        final double[] sums = new double[micros.length];
        final double[] each = new double[micros.length * places.size()];
        int next = 0;
        for (int step = 0; step < micros.length; step++)
        {
            for (final int place : places)
            {
                each[next++] = micros[step][place];
                sums[step] += micros[step][place];
            }
        }
        final String name = traits.matrix().isEmpty() ? traits.kernel() : traits.kernel() + ", " + traits.matrix();
        return new Row(name, traits, places.size(), Quantiles.of(sums, 50), Quantiles.of(each, 50));
    }

    /** Of a step's launches, median over the steps. */
    double sumMicros()
    {
        final double[] sums = new double[micros.length];
        for (int step = 0; step < sums.length; step++)
        {
            for (final double launch : micros[step])
            {
                sums[step] += launch;
            }
        }
        return Quantiles.of(sums, 50);
    }
}
