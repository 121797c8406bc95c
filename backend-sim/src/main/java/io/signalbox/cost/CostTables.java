// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cost;

import io.signalbox.ConfigException;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.DoubleFunction;

/**
 * Everything that was fitted: cells of kernels, and the effects of measured groups on TPOT and TTFT. As text, it is one
 * record per line, whose fields are separated by tabs.
 *
 * @param covered what the measurements cover, with the error on points whose group was left out of the fit.
 */
public record CostTables(KernelFits kernels, ScaleEffects tpot, ScaleEffects ttft, List<Coverage> covered)
{
    private static final String RESOURCE = "cost-tables.tsv";
    private static final double SMALLEST_EFFECT = 5e-4;
    private static final String KERNEL = "kernel";
    private static final String TPOT = "tpot";
    private static final String TTFT = "ttft";
    private static final String COVERED = "covered";

    /**
     * Measured points of a model on a GPU by an engine, apart from saturated ones and copies.
     *
     * @param layouts  by {@link Parallelism#text()}.
     * @param versions of the engine.
     */
    public record Coverage(
        String model,
        String gpu,
        String engine,
        int points,
        double tpotErrorPercent,
        double ttftErrorPercent,
        List<String> layouts,
        List<String> versions)
    {
    }

    private static final class Standard
    {
        private static final CostTables TABLES = load();

        private static CostTables load()
        {
            try (InputStream resource = CostTables.class.getResourceAsStream(RESOURCE);
                BufferedReader lines = new BufferedReader(new InputStreamReader(resource, StandardCharsets.UTF_8)))
            {
                return read(lines.lines().toList());
            }
            catch (final IOException e)
            {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** The tables that ship with the program. */
    public static CostTables standard()
    {
        return Standard.TABLES;
    }

    static CostTables read(final List<String> lines)
    {
        final Map<String, KernelFits.Cell> kernels = new TreeMap<>();
        final Map<String, double[]> tpot = new TreeMap<>();
        final Map<String, double[]> ttft = new TreeMap<>();
        final List<Coverage> covered = new ArrayList<>();
        for (final String line : lines)
        {
            final String[] fields = line.split("\t", -1);
            switch (fields[0])
            {
                case KERNEL -> kernels.put(fields[1], new KernelFits.Cell(
                    numbers(fields, 4), Integer.parseInt(fields[2]), Double.parseDouble(fields[3])));
                case TPOT -> tpot.put(fields[1], numbers(fields, 2));
                case TTFT -> ttft.put(fields[1], numbers(fields, 2));
                case COVERED -> covered.add(new Coverage(fields[1], fields[2], fields[3], Integer.parseInt(fields[4]),
                    Double.parseDouble(fields[5]), Double.parseDouble(fields[6]), List.of(fields[7].split(" ")),
                    List.of(fields[8].split(" "))));
                default ->
                {
                    // A comment.
                }
            }
        }
        return new CostTables(new KernelFits(kernels), new ScaleEffects(tpot), new ScaleEffects(ttft), List.copyOf(covered));
    }

    private static double[] numbers(final String[] fields, final int from)
    {
        return Arrays.stream(fields, from, fields.length).mapToDouble(Double::parseDouble).toArray();
    }

    /** As {@link #read} reads it, with comments first. */
    public List<String> lines(final List<String> comments)
    {
        final List<String> lines = new ArrayList<>();
        comments.forEach(comment -> lines.add("# " + comment));
        kernels.cells().forEach((name, cell) -> lines.add(String.join("\t", KERNEL, name, Integer.toString(cell.rows()),
            String.format(Locale.ROOT, "%.1f", cell.errorPercent()),
            joined(cell.coefficients(), value -> value == 0 ? "0" : String.format(Locale.ROOT, "%.4g", value)))));
        add(lines, TPOT, tpot);
        add(lines, TTFT, ttft);
        covered.forEach(each -> lines.add(String.join("\t", COVERED, each.model(), each.gpu(), each.engine(),
            Integer.toString(each.points()), String.format(Locale.ROOT, "%.1f", each.tpotErrorPercent()),
            String.format(Locale.ROOT, "%.1f", each.ttftErrorPercent()), String.join(" ", each.layouts()),
            String.join(" ", each.versions()))));
        return lines;
    }

    private static void add(final List<String> lines, final String kind, final ScaleEffects effects)
    {
        effects.byGroup().forEach((group, values) ->
        {
            if (Arrays.stream(values).anyMatch(value -> Math.abs(value) >= SMALLEST_EFFECT))
            {
                lines.add(String.join("\t", kind, group, joined(values, value ->
                    Math.abs(value) < SMALLEST_EFFECT ? "0" : String.format(Locale.ROOT, "%.3f", value))));
            }
        });
    }

    private static String joined(final double[] values, final DoubleFunction<String> text)
    {
        return String.join("\t", Arrays.stream(values).mapToObj(text).toList());
    }

    /**
     * A run of the measurements, by model, GPU, engine and version: the newest one if there are several.
     *
     * @param precision of the run.
     * @throws ConfigException that lists the measured versions.
     */
    public SoftwareRun run(
        final ServedModelShape model, final Gpu gpu, final String precision, final String engine, final String version)
    {
        SoftwareRun newest = null;
        for (final String group : tpot.byGroup().keySet())
        {
            final String[] parts = group.split("\\|", -1);
            if (parts[0].equals("7") && model.equals(ServedModelShape.measured(parts[1])) && parts[2].equals(gpu.label()) &&
                parts[3].equals(engine) && parts[4].equals(version) && parts[5].equals(precision) &&
                (newest == null || parts[7].compareTo(newest.date()) > 0))
            {
                newest = new SoftwareRun(engine, version, parts[1], parts[7], parts[6]);
            }
        }
        if (newest == null)
        {
            throw ConfigException.because("engine " + engine + " has no measured version " + version + " for " +
                model.name() + " in " + precision + " on " + gpu.label()).allowed("a version that --list-models names")
                .remedy("leave the version out for the mean of the measured versions, or give one of the list");
        }
        return newest;
    }
}
