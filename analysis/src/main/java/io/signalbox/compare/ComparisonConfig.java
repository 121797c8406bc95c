// SPDX-License-Identifier: Apache-2.0
package io.signalbox.compare;

import io.signalbox.ConfigException;
import io.signalbox.config.Setting;
import io.signalbox.report.ServiceLevel;
import io.signalbox.router.RouterConfig;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.SimulationConfig;

import java.util.HashSet;
import java.util.List;

/**
 * Configuration of a comparison: each router on each workload with each cache size, once per seed.
 *
 * @param kvBlocks   KV blocks of one rank's pool, the dummy block included.
 * @param routers    each with its knobs; no two with the same label.
 * @param firstSeed  the seeds are this one and those that follow.
 * @param seeds      at least 1; from 2 on there are confidence intervals.
 * @param scheduler  everything but router and pool size.
 * @param simulation everything but the seed.
 * @param serviceLevel the limits of goodput; {@code null}: goodput is not asked for.
 */
public record ComparisonConfig(
    List<SeededWorkload> workloads,
    List<Integer> kvBlocks,
    List<RouterConfig> routers,
    long firstSeed,
    int seeds,
    SchedulerConfig scheduler,
    SimulationConfig simulation,
    ServiceLevel serviceLevel)
{
    public static final Setting<Long> FIRST_SEED = Setting.number("firstSeed", "", 1, Long.MIN_VALUE, Long.MAX_VALUE,
        "The seeds of the runs are this one and those that follow.")
        .option("--seed", "N", "Start with seed N");
    public static final Setting<Integer> SEEDS =
        Setting.integer("seeds", "runs", 3, 1, 10_000, "Runs per combination; from 2 on there are confidence intervals.")
        .option("--seeds", "N", "Run each combination with N seeds; intervals need at least 2");
    public static final Setting<Integer> WORKERS = Setting.integer("workers", "threads", 1, 1, 1024,
        "Simulations that run at a time; each holds the pools of one run.")
        .option("--workers", "N", "Run N simulations at a time");
    public static final List<Setting<?>> SETTINGS = List.of(FIRST_SEED, SEEDS, WORKERS);

    private static final ConfigException.Named WORKLOADS = new ConfigException.Named("workloads", null);
    private static final ConfigException.Named ROUTERS = new ConfigException.Named("routers", null);
    private static final String ONE_OR_MORE = "one or several different ones";
    private static final int MAX_RUNS = 1_000_000;

    /** Without goodput. */
    public ComparisonConfig(
        final List<SeededWorkload> workloads, final List<Integer> kvBlocks, final List<RouterConfig> routers,
        final long firstSeed, final int seeds, final SchedulerConfig scheduler, final SimulationConfig simulation)
    {
        this(workloads, kvBlocks, routers, firstSeed, seeds, scheduler, simulation, null);
    }

    public ComparisonConfig
    {
        workloads = List.copyOf(workloads);
        kvBlocks = List.copyOf(kvBlocks);
        routers = List.copyOf(routers);
        checkList(WORKLOADS, workloads.stream().map(SeededWorkload::name).toList());
        checkList(SchedulerConfig.KV_BLOCKS.named(), kvBlocks);
        checkList(ROUTERS, routers.stream().map(RouterConfig::label).toList());
        SEEDS.check(seeds);
        if (firstSeed > Long.MAX_VALUE - seeds)
        {
            throw ConfigException.because(FIRST_SEED.of(firstSeed), " leaves no room for ", SEEDS.of(seeds))
                .allowed("at most " + (Long.MAX_VALUE - seeds)).remedy("give a smaller one");
        }
        final long runs = (long)workloads.size() * kvBlocks.size() * routers.size() * seeds;
        if (runs > MAX_RUNS)
        {
            throw ConfigException.because(WORKLOADS, ", ", SchedulerConfig.KV_BLOCKS.named(), ", ", ROUTERS, " and ",
                    SEEDS.of(seeds), " make " + runs + " runs, more than " + MAX_RUNS)
                .allowed("at most " + MAX_RUNS + " runs").remedy("compare fewer");
        }
        if (simulation.faults() != null)
        {
            simulation.faults().check(scheduler);
        }
        for (final int blocks : kvBlocks)
        {
            schedulerOf(scheduler, routers.get(0), blocks);
        }
    }

    private static void checkList(final ConfigException.Named name, final List<?> values)
    {
        if (values.isEmpty())
        {
            throw ConfigException.because(name, " is empty").allowed(ONE_OR_MORE).remedy("name at least one");
        }
        final HashSet<Object> seen = new HashSet<>();
        for (final Object value : values)
        {
            if (!seen.add(value))
            {
                throw ConfigException.because(name, " has " + value + " twice")
                    .allowed(ONE_OR_MORE).remedy("name each one once");
            }
        }
    }

    /** Runs of a comparison. */
    public int cells()
    {
        return workloads.size() * kvBlocks.size() * routers.size() * seeds;
    }

    /** The scheduler of one cell. */
    SchedulerConfig schedulerOf(final RouterConfig router, final int blocks)
    {
        return schedulerOf(scheduler, router, blocks);
    }

    private static SchedulerConfig schedulerOf(
        final SchedulerConfig scheduler, final RouterConfig router, final int blocks)
    {
        return scheduler.toBuilder().router(router).kvBlocks(blocks).build();
    }
}
