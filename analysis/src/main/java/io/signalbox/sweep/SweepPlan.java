// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sweep;

import io.signalbox.ConfigException;
import io.signalbox.StateDigest;
import io.signalbox.compare.ComparisonConfig;
import io.signalbox.compare.Figure;
import io.signalbox.config.Setting;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * A search: each combination of the values of a grid, or some that are drawn from it, each with several seeds. A cell and a
 * seed are one simulated run, the same as {@code signalbox simulate} with these options.
 *
 * @param options   options of every cell, by name without dashes.
 * @param grid      the values of each varied option; the last one varies fastest.
 * @param draw      cells that are drawn from the grid; 0: all cells.
 * @param drawSeed  seed of the draw.
 * @param firstSeed the seeds of the runs are this one and those that follow.
 * @param seeds     runs of each cell, at least 1.
 * @param objective the figure by which cells are ranked.
 * @param baseline  values of varied options: a cell is compared with the cell that has these values, and its own values of
 *                  all other options; empty: with none.
 */
public record SweepPlan(
    Map<String, SweepValue> options,
    Map<String, List<SweepValue>> grid,
    int draw,
    long drawSeed,
    long firstSeed,
    int seeds,
    Figure objective,
    Map<String, String> baseline)
{
    /** Most runs of a plan: the figures of all of them are ranked in memory. */
    public static final int MAX_RUNS = 1_000_000;
    /** Most combinations of a grid from which cells are drawn. */
    private static final long MAX_COMBINATIONS = 1L << 62;

    public static final Setting<Integer> DRAW = Setting.integer("draw", "cells", 0, 0, MAX_RUNS,
        "Cells that are drawn from the grid; 0: all cells.")
        .option("--draw", "N", "Run N cells that are drawn from the grid at random; 0: all cells");
    public static final Setting<Long> DRAW_SEED = Setting.number("drawSeed", "", 1, Long.MIN_VALUE, Long.MAX_VALUE,
        "Seed of the draw.")
        .option("--draw-seed", "N", "Draw the cells with seed N");
    public static final List<Setting<?>> SETTINGS = List.of(DRAW, DRAW_SEED);

    private static final ConfigException.Named GRID = new ConfigException.Named("grid", null);

    public SweepPlan
    {
        options = Collections.unmodifiableMap(new LinkedHashMap<>(options));
        grid = Collections.unmodifiableMap(new LinkedHashMap<>(grid));
        baseline = Collections.unmodifiableMap(new LinkedHashMap<>(baseline));
        grid.forEach(SweepPlan::checkValues);
        ComparisonConfig.SEEDS.check(seeds);
        DRAW.check(draw);
        if (firstSeed > Long.MAX_VALUE - seeds)
        {
            throw ConfigException.because(ComparisonConfig.FIRST_SEED.of(firstSeed), " leaves no room for ",
                ComparisonConfig.SEEDS.of(seeds)).allowed("at most " + (Long.MAX_VALUE - seeds))
                .remedy("give a smaller one");
        }
        checkBaseline(grid, baseline);
        final long combinations = combinations(grid);
        final long cells = draw == 0 ? combinations : Math.min(draw, combinations);
        if (combinations > MAX_COMBINATIONS || cells > MAX_RUNS / seeds)
        {
            throw ConfigException.because(GRID, " has " +
                    (combinations > MAX_COMBINATIONS ? "more than 2^62" : combinations) + " combinations, and " +
                    (draw == 0 ? "all of them" : DRAW.of(draw)) + " with " +
                    ComparisonConfig.SEEDS.of(seeds) + " are more than " + MAX_RUNS + " runs")
                .allowed("at most " + MAX_RUNS + " runs").remedy("draw fewer cells, or give fewer values or seeds");
        }
    }

    private static void checkValues(final String name, final List<SweepValue> values)
    {
        final HashSet<String> seen = new HashSet<>();
        for (final SweepValue value : values)
        {
            if (!seen.add(value.stored()))
            {
                throw new ConfigException("the grid has " + name + "=" + value.text() + " twice; give each value once.");
            }
        }
        if (values.isEmpty())
        {
            throw new ConfigException("the grid gives " + name + " no value; give at least one.");
        }
    }

    private static void checkBaseline(final Map<String, List<SweepValue>> grid, final Map<String, String> baseline)
    {
        baseline.forEach((name, value) ->
        {
            final List<SweepValue> values = grid.get(name);
            if (values == null)
            {
                throw new ConfigException("the baseline names " + name + ", which the grid does not vary; give " +
                    (grid.isEmpty() ? "a grid" : "some of " + String.join(", ", grid.keySet())) + ".");
            }
            if (values.stream().noneMatch(each -> each.stored().equals(value)))
            {
                throw new ConfigException("the baseline has " + name + "=" + value + ", which the grid does not have; " +
                    "give one of " + String.join(", ", values.stream().map(SweepValue::stored).toList()) + ".");
            }
        });
    }

    /** More than {@link #MAX_COMBINATIONS} if they do not fit. */
    private static long combinations(final Map<String, List<SweepValue>> grid)
    {
        long combinations = 1;
        for (final List<SweepValue> values : grid.values())
        {
            if (combinations > MAX_COMBINATIONS / values.size())
            {
                return Long.MAX_VALUE;
            }
            combinations *= values.size();
        }
        return combinations;
    }

    /** The cells in the order of their numbers, which is that of the grid. */
    public List<SweepCell> cells()
    {
        final List<SweepCell> cells = new ArrayList<>();
        final long combinations = combinations(grid);
        if (draw == 0 || draw >= combinations)
        {
            for (int i = 0; i < combinations; i++)
            {
                cells.add(SweepCell.of(i, options, combination(i)));
            }
            return cells;
        }
        final TreeSet<Long> drawn = new TreeSet<>();
        for (long i = 0; drawn.size() < draw; i++)
        {
            drawn.add(Math.floorMod(StateDigest.finalise(StateDigest.mix(drawSeed, i)), combinations));
        }
        drawn.forEach(place -> cells.add(SweepCell.of(cells.size(), options, combination(place))));
        return cells;
    }

    private Map<String, SweepValue> combination(final long place)
    {
        final List<String> names = new ArrayList<>(grid.keySet());
        final SweepValue[] chosen = new SweepValue[names.size()];
        long rest = place;
        for (int i = names.size() - 1; i >= 0; i--)
        {
            final List<SweepValue> values = grid.get(names.get(i));
            chosen[i] = values.get((int)(rest % values.size()));
            rest /= values.size();
        }
        final Map<String, SweepValue> combination = new LinkedHashMap<>();
        for (int i = 0; i < chosen.length; i++)
        {
            combination.put(names.get(i), chosen[i]);
        }
        return combination;
    }
}
