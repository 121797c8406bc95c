// SPDX-License-Identifier: Apache-2.0
package io.signalbox.compare;

import io.signalbox.ConfigException;
import io.signalbox.compare.ComparisonTable.Cell;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.report.RunReport;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.PoolFit;
import io.signalbox.sim.Simulation;
import io.signalbox.workload.Workload;

import java.util.ArrayList;
import java.util.List;

/**
 * Compares routers: one simulated run without journal per workload, cache size, router and seed, several at a time. The
 * cells do not depend on how many threads there are.
 */
public final class Comparison
{
    private final ComparisonConfig plan;
    private final RunningParts parts;
    private final ComparisonTable table;
    /** By workload, then by seed. */
    private final SharedWorkload[][] workloads;
    private final ParallelRuns parallel = new ParallelRuns();

    private Comparison(final ComparisonConfig plan, final ComparisonProgress progress)
    {
        this.plan = plan;
        parts = new RunningParts(progress, plan.cells());
        table = new ComparisonTable(plan);
        workloads = new SharedWorkload[plan.workloads().size()][plan.seeds()];
        final int users = plan.kvBlocks().size() * plan.routers().size();
        for (int i = 0; i < workloads.length; i++)
        {
            final SeededWorkload seeded = plan.workloads().get(i);
            for (int j = 0; j < plan.seeds(); j++)
            {
                final long seed = plan.firstSeed() + j;
                workloads[i][j] = new SharedWorkload(() -> seeded.ofSeed().apply(seed), users);
            }
        }
    }

    /**
     * Runs until every cell has ended.
     *
     * @param workers threads, at least 1; each holds the pools of one run.
     * @return by workload, cache size and router, in the order of the plan.
     * @throws ConfigException when a workload cannot be made, or has a request that fits in no pool of some size.
     */
    public static List<ComparisonCell> run(
        final ComparisonConfig plan, final int workers, final ComparisonProgress progress)
    {
        ComparisonConfig.WORKERS.check(workers);
        return new Comparison(plan, progress).run(workers);
    }

    private List<ComparisonCell> run(final int workers)
    {
        // A pool that is too small is to be found before hours of runs, as far as the first seed can tell.
        for (int workload = 0; workload < workloads.length; workload++)
        {
            for (int pool = 0; pool < plan.kvBlocks().size(); pool++)
            {
                checkFit(workload, workloads[workload][0].get(), plan.schedulerOf(plan.routers().get(0), poolBlocks(pool)));
            }
        }
        parallel.run(runs(), workers);
        return table.cells();
    }

    /** Runs of one workload and seed come together, so that few workloads are in memory at a time. */
    private List<Runnable> runs()
    {
        final List<Runnable> runs = new ArrayList<>();
        for (int workload = 0; workload < workloads.length; workload++)
        {
            for (int seed = 0; seed < plan.seeds(); seed++)
            {
                for (int pool = 0; pool < plan.kvBlocks().size(); pool++)
                {
                    for (int router = 0; router < plan.routers().size(); router++)
                    {
                        final Cell cell = new Cell(workload, pool, router, seed);
                        runs.add(() -> run(cell));
                    }
                }
            }
        }
        return runs;
    }

    private void run(final Cell cell)
    {
        final SharedWorkload shared = workloads[cell.workload()][cell.seed()];
        final Workload workload = shared.get();
        final SchedulerConfig config = plan.schedulerOf(plan.routers().get(cell.router()), poolBlocks(cell.pool()));
        checkFit(cell.workload(), workload, config);
        final Simulation simulation =
            new Simulation(config, plan.simulation().withSeed(plan.firstSeed() + cell.seed()), workload)
                .judging(plan.serviceLevel());
        final RunningParts.OfRun running = parts.begin();
        final RunReport report = simulation.run(SteppedEngine::new, null, (done, total, nanos) ->
        {
            parallel.stopIfAbandoned();
            running.settled(done, total);
        });
        final double[] figures = new double[Figure.values().length];
        for (final Figure figure : Figure.values())
        {
            figures[figure.ordinal()] = figure.of(report);
        }
        shared.release();
        table.put(cell, figures);
        running.end();
    }

    private int poolBlocks(final int pool)
    {
        return plan.kvBlocks().get(pool);
    }

    private void checkFit(final int workload, final Workload requests, final SchedulerConfig config)
    {
        final String name = plan.workloads().get(workload).name();
        PoolFit.check(requests, config, request -> "request " + request.requestId() + " of the workload " + name);
    }
}
