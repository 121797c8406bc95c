// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.console;

import io.signalbox.printing.Decimals;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The kernels of one step of the GPU check's section {@code profile}. The figures of a kernel are named
 * {@code STEP: KERNEL: COLUMN}, those of the whole step {@code STEP: FIGURE}.
 *
 * @param rows a cell for each column of {@link #HEADER}: kernels, then whole steps.
 */
record GpuProfileTable(String title, List<List<String>> rows)
{
    static final List<String> HEADER =
        List.of("kernel", "launches", "us in all", "us each", "MB read", "GB/s", "share of the step, %");
    private static final String SEPARATOR = ": ";
    private static final String LAUNCHES = "launches";
    private static final String TIME = "time";
    private static final String EACH = "time of each";
    private static final String READS = "reads";
    private static final String SUM = "sum of the launches";
    private static final List<String> STEPS = List.of(SUM, "as single launches", "as a graph");
    private static final String NO_VALUE = "–";

    /** In the order of the figures. */
    static List<GpuProfileTable> of(final List<Map<?, ?>> figures)
    {
        final Map<String, Map<String, Map<String, Double>>> steps = new LinkedHashMap<>();
        figures.stream().filter(GpuProfileTable::isPart).forEach(figure ->
        {
            final String[] name = nameOf(figure);
            if (figure.get("value") instanceof Double value)
            {
                steps.computeIfAbsent(name[0], step -> new LinkedHashMap<>())
                    .computeIfAbsent(name[1], kernel -> new LinkedHashMap<>())
                    .put(name.length == 2 ? TIME : name[2], value);
            }
        });
        return steps.entrySet().stream().map(step -> table(step.getKey(), step.getValue())).toList();
    }

    /** Whether a figure is in one of the tables. */
    static boolean isPart(final Map<?, ?> figure)
    {
        final String[] name = nameOf(figure);
        return name.length == 3 || name.length == 2 && STEPS.contains(name[1]);
    }

    private static String[] nameOf(final Map<?, ?> figure)
    {
        return String.valueOf(figure.get("name")).split(SEPARATOR);
    }

    private static GpuProfileTable table(final String step, final Map<String, Map<String, Double>> kernels)
    {
        final double sum = kernels.getOrDefault(SUM, Map.of()).getOrDefault(TIME, 0.0);
        final double read = kernels.values().stream().mapToDouble(figures -> figures.getOrDefault(READS, 0.0)).sum();
        final List<List<String>> rows = new ArrayList<>();
        kernels.forEach((kernel, figures) ->
        {
            final double micros = figures.getOrDefault(TIME, 0.0);
            final double megabytes = STEPS.contains(kernel) ? read : figures.getOrDefault(READS, 0.0);
            rows.add(List.of(kernel,
                figures.containsKey(LAUNCHES) ? Decimals.grouped(Math.round(figures.get(LAUNCHES))) : NO_VALUE,
                Decimals.text(micros, 1),
                figures.containsKey(EACH) ? Decimals.text(figures.get(EACH), 2) : NO_VALUE,
                megabytes > 0.0 ? Decimals.text(megabytes, 2) : NO_VALUE,
                megabytes > 0.0 && micros > 0.0 ? Decimals.text(megabytes / micros * 1e3, 0) : NO_VALUE,
                sum > 0.0 ? Decimals.text(100.0 * micros / sum, 1) : NO_VALUE));
        });
        return new GpuProfileTable(step, rows);
    }
}
