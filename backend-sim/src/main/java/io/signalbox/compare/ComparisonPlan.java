// SPDX-License-Identifier: Apache-2.0
package io.signalbox.compare;

import io.signalbox.ConfigException;
import io.signalbox.router.RouterConfig;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.SimulationConfig;

import java.util.HashSet;
import java.util.List;

/**
 * The plan of a comparison: each router on each workload with each cache size, once per seed.
 *
 * @param kvBlocks   KV blocks of one rank's pool, the dummy block included.
 * @param routers    each with its knobs; no two with the same label.
 * @param firstSeed  the seeds are this one and those that follow.
 * @param seeds      at least 1; from 2 on there are confidence intervals.
 * @param scheduler  everything but router and pool size.
 * @param simulation everything but the seed.
 */
public record ComparisonPlan(
    List<SeededWorkload> workloads,
    List<Integer> kvBlocks,
    List<RouterConfig> routers,
    long firstSeed,
    int seeds,
    SchedulerConfig scheduler,
    SimulationConfig simulation)
{
    private static final int MAX_SEEDS = 10_000;
    private static final int MAX_RUNS = 1_000_000;

    public ComparisonPlan
    {
        workloads = List.copyOf(workloads);
        kvBlocks = List.copyOf(kvBlocks);
        routers = List.copyOf(routers);
        checkList("workloads", workloads.stream().map(SeededWorkload::name).toList());
        checkList("kvBlocks", kvBlocks);
        checkList("routers", routers.stream().map(RouterConfig::label).toList());
        if (seeds < 1 || seeds > MAX_SEEDS)
        {
            throw new ConfigException("seeds=" + seeds + " is not between 1 and " + MAX_SEEDS + "; give a number of runs.");
        }
        if (firstSeed > Long.MAX_VALUE - seeds)
        {
            throw new ConfigException("seed=" + firstSeed + " leaves no room for " + seeds + " seeds; give a smaller one.");
        }
        final long runs = (long)workloads.size() * kvBlocks.size() * routers.size() * seeds;
        if (runs > MAX_RUNS)
        {
            throw new ConfigException("workloads, kvBlocks, routers and seeds=" + seeds + " make " + runs +
                " runs, more than " + MAX_RUNS + "; compare fewer.");
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

    private static void checkList(final String name, final List<?> values)
    {
        if (values.isEmpty())
        {
            throw new ConfigException(name + " is empty; name at least one.");
        }
        final HashSet<Object> seen = new HashSet<>();
        for (final Object value : values)
        {
            if (!seen.add(value))
            {
                throw new ConfigException(name + " has " + value + " twice; name each one once.");
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
