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
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;

/**
 * A search: each combination of the values of a grid, or some that are drawn from it, each with several seeds. A cell and a
 * seed are one simulated run, the same as {@code signalbox simulate} with these options.
 *
 * @param options   options of every cell, by name without dashes.
 * @param grid      the values of each varied option; the last one varies fastest.
 * @param variants  options by the name of a variant, which replace those of every cell. If there are any, they are the first
 *                  dimension of the grid, {@value #VARIANT}.
 * @param draw      cells that are drawn from the grid; 0: all cells.
 * @param drawSeed  seed of the draw.
 * @param firstSeed the seeds of the runs are this one and those that follow.
 * @param seeds     runs of each cell, at least 1.
 * @param objective the figure by which cells are ranked.
 * @param baseline  values of varied options: a cell is compared with the cell that has these values, and its own values of
 *                  all other options; empty: with none.
 * @param halving   which cells run in which round.
 */
public record SweepPlan(
    Map<String, SweepValue> options,
    Map<String, List<SweepValue>> grid,
    Map<String, Map<String, SweepValue>> variants,
    int draw,
    long drawSeed,
    long firstSeed,
    int seeds,
    Figure objective,
    Map<String, String> baseline,
    SweepHalving halving)
{
    /** The dimension of the variants. */
    public static final String VARIANT = "variant";
    /** The option that says how many requests a run has. */
    public static final String LIMIT = "limit";
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
    public static final Setting<Integer> HALVING = Setting.integer("halving", "", 0, 0, 1000,
        "In rounds, the best one of so many cells is kept and runs with so many times the requests; 0: one round.")
        .option("--halving", "N", "After each round keep the best 1/N of the cells, and run them with N times --limit; " +
            "0: one round");
    public static final List<Setting<?>> SETTINGS = List.of(DRAW, DRAW_SEED, HALVING);

    private static final ConfigException.Named GRID = new ConfigException.Named("grid", null);

    public SweepPlan
    {
        options = Collections.unmodifiableMap(new LinkedHashMap<>(options));
        grid = Collections.unmodifiableMap(new LinkedHashMap<>(grid));
        variants = Collections.unmodifiableMap(new LinkedHashMap<>(variants));
        baseline = Collections.unmodifiableMap(new LinkedHashMap<>(baseline));
        grid.forEach(SweepPlan::checkValues);
        for (final Map.Entry<String, Map<String, SweepValue>> variant : variants.entrySet())
        {
            checkVariant(variant.getKey(), variant.getValue(), grid.keySet());
        }
        ComparisonConfig.SEEDS.check(seeds);
        DRAW.check(draw);
        if (firstSeed > Long.MAX_VALUE - seeds)
        {
            throw ConfigException.because(ComparisonConfig.FIRST_SEED.of(firstSeed), " leaves no room for ",
                ComparisonConfig.SEEDS.of(seeds)).allowed("at most " + (Long.MAX_VALUE - seeds))
                .remedy("give a smaller one");
        }
        final Map<String, List<SweepValue>> dimensions = dimensions(variants, grid);
        checkBaseline(dimensions, baseline);
        final long combinations = combinations(dimensions);
        final long cells = draw == 0 ? combinations : Math.min(draw, combinations);
        if (combinations > MAX_COMBINATIONS || cells > MAX_RUNS / seeds)
        {
            throw ConfigException.because(GRID, " has " +
                    (combinations > MAX_COMBINATIONS ? "more than 2^62" : combinations) + " combinations, and " +
                    (draw == 0 ? "all of them" : DRAW.of(draw)) + " with " +
                    ComparisonConfig.SEEDS.of(seeds) + " are more than " + MAX_RUNS + " runs")
                .allowed("at most " + MAX_RUNS + " runs").remedy("draw fewer cells, or give fewer values or seeds");
        }
        checkHalving(options, grid.keySet(), variants, halving, cells);
    }

    private static void checkVariant(
        final String name, final Map<String, SweepValue> own, final Set<String> varied)
    {
        own.keySet().stream().filter(varied::contains).findFirst().ifPresent(option ->
        {
            throw new ConfigException("the variant " + name + " sets " + option + ", which the grid varies; leave one of " +
                "them out.");
        });
    }

    private static void checkHalving(
        final Map<String, SweepValue> options, final Set<String> varied, final Map<String, Map<String, SweepValue>> variants,
        final SweepHalving halving, final long cells)
    {
        HALVING.check(halving.keepOneIn());
        final boolean isVaried =
            varied.contains(LIMIT) || variants.values().stream().anyMatch(own -> own.containsKey(LIMIT));
        final boolean isNumber = options.containsKey(LIMIT) && options.get(LIMIT).text().matches("[1-9][0-9]{0,9}");
        if (halving.keepOneIn() == 1 || halving.keepOneIn() > 1 && (isVaried || !isNumber))
        {
            throw halving.keepOneIn() == 1 ? new ConfigException("--halving=1 keeps every cell; give 0, or 2 or more.") :
                new ConfigException("--halving=" + halving.keepOneIn() + " needs one --limit for all cells, the requests " +
                    "of the first round; give it.");
        }
        if (halving.kept().stream().anyMatch(number -> number < 0 || number >= cells))
        {
            throw new ConfigException("the plan keeps " + halving.kept() + ", and has the cells 0 to " + (cells - 1) +
                "; give the plan that the sweep wrote.");
        }
    }

    private static Map<String, List<SweepValue>> dimensions(
        final Map<String, Map<String, SweepValue>> variants, final Map<String, List<SweepValue>> grid)
    {
        final Map<String, List<SweepValue>> dimensions = new LinkedHashMap<>();
        if (!variants.isEmpty())
        {
            dimensions.put(VARIANT, variants.keySet().stream().map(SweepValue::of).toList());
        }
        dimensions.putAll(grid);
        return dimensions;
    }

    /** The variants, if there are any, and the values of the grid, in the order of both. */
    public Map<String, List<SweepValue>> dimensions()
    {
        return dimensions(variants, grid);
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

    /** The cells of this round in the order of their numbers, which is that of the grid. */
    public List<SweepCell> cells()
    {
        final long[] places = places();
        final List<Integer> kept = halving.kept();
        final List<SweepCell> cells = new ArrayList<>();
        for (int i = 0; i < (kept.isEmpty() ? places.length : kept.size()); i++)
        {
            final Map<String, SweepValue> varied = combination(places[kept.isEmpty() ? i : kept.get(i)]);
            final Map<String, SweepValue> settings = new LinkedHashMap<>(options);
            varied.forEach((name, value) -> settings.putAll(
                name.equals(VARIANT) && !variants.isEmpty() ? variants.get(value.text()) : Map.of(name, value)));
            cells.add(SweepCell.of(i, settings, varied));
        }
        return cells;
    }

    /** Of all cells, without regard to rounds, the places in the grid. */
    private long[] places()
    {
        final long combinations = combinations(dimensions());
        if (draw == 0 || draw >= combinations)
        {
            return LongStream.range(0, combinations).toArray();
        }
        final TreeSet<Long> drawn = new TreeSet<>();
        for (long i = 0; drawn.size() < draw; i++)
        {
            drawn.add(Math.floorMod(StateDigest.finalise(StateDigest.mix(drawSeed, i)), combinations));
        }
        return drawn.stream().mapToLong(Long::longValue).toArray();
    }

    /**
     * The next round of successive halving.
     *
     * @param best numbers of the cells of this round, the best first.
     * @return {@code null} if this is the last round.
     */
    public SweepPlan next(final List<Integer> best)
    {
        if (!halving.goesOn(best.size()))
        {
            return null;
        }
        return with(moreRequests(requests()), halving.next(best));
    }

    /** The cells of this round, with as many requests as the last round of successive halving would have. */
    public SweepPlan withRequestsOfLastRound()
    {
        int cells = cells().size();
        if (!halving.goesOn(cells))
        {
            return this;
        }
        long requests = requests();
        for (; halving.goesOn(cells); cells = halving.keptOf(cells))
        {
            requests = moreRequests(requests);
        }
        return with(requests, halving);
    }

    /** Most requests of a run in this round of successive halving. */
    public long requests()
    {
        return Long.parseLong(options.get(LIMIT).text());
    }

    private long moreRequests(final long requests)
    {
        return Math.min(Integer.MAX_VALUE, requests * halving.keepOneIn());
    }

    private SweepPlan with(final long requests, final SweepHalving round)
    {
        final Map<String, SweepValue> limited = new LinkedHashMap<>(options);
        limited.put(LIMIT, SweepValue.of(Long.toString(requests)));
        return new SweepPlan(
            limited, grid, variants, draw, drawSeed, firstSeed, seeds, objective, baseline, round);
    }

    private Map<String, SweepValue> combination(final long place)
    {
        final Map<String, List<SweepValue>> dimensions = dimensions();
        final List<String> names = new ArrayList<>(dimensions.keySet());
        final SweepValue[] chosen = new SweepValue[names.size()];
        long rest = place;
        for (int i = names.size() - 1; i >= 0; i--)
        {
            final List<SweepValue> values = dimensions.get(names.get(i));
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
