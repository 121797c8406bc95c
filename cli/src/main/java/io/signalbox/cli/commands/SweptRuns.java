// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.MachineMemory;
import io.signalbox.cli.options.ArgumentConverters;
import io.signalbox.cli.options.CommandModel;
import io.signalbox.cli.options.sweep.SweptOptions;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.report.RunReport;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.HeapLimits;
import io.signalbox.sim.MemoryNeed;
import io.signalbox.sim.SimulationProgress;
import io.signalbox.sweep.Sweep;
import io.signalbox.sweep.SweepCell;
import io.signalbox.workload.Workload;
import picocli.CommandLine;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/**
 * The runs of a sweep: each is {@code signalbox simulate} with the options of its cell, without a journal. The first seed
 * leaves the arrivals of a trace as they are; each other one spreads them within the resolution of their clock.
 */
final class SweptRuns implements Sweep.Runner
{
    private static final String SEED = "--seed=";
    /** Workloads in memory beside those that runs read. */
    private static final int SPARE_WORKLOADS = 2;

    private final Console console;
    private final SweptOptions known;
    /** Names of the options that determine the requests. */
    private final Set<String> ofWorkload;
    private final long firstSeed;
    private final HeapLimits limits = MachineMemory.limits();
    private final int mostWorkloads;
    private final Map<List<String>, Shared> workloads;

    /** A workload that several runs read; made by the first one. */
    private static final class Shared
    {
        private Workload workload;

        private synchronized Workload get(final Supplier<Workload> source)
        {
            workload = workload == null ? source.get() : workload;
            return workload;
        }
    }

    /** @param workers runs at a time. */
    SweptRuns(final Console console, final SweptOptions known, final Set<String> ofWorkload, final long firstSeed,
        final int workers)
    {
        this.console = console;
        this.known = known;
        this.ofWorkload = ofWorkload;
        this.firstSeed = firstSeed;
        mostWorkloads = workers + SPARE_WORKLOADS;
        workloads = new LinkedHashMap<>(2 * workers, 0.75F, true)
        {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(final Map.Entry<List<String>, Shared> eldest)
            {
                return size() > mostWorkloads;
            }
        };
    }

    /**
     * Checks cells before the first run, with the requests of every seed. Cells with one workload follow each other, so that
     * each workload is read once.
     *
     * @param workers runs at a time.
     * @param checked receives the number of runs of each part that was checked.
     * @throws ConfigException that names the cell if its options do not fit together, its pools do not fit into memory, or a
     *                         request does not fit into a pool; and the seed if it is not the first.
     */
    void check(final List<SweepCell> cells, final int seeds, final int workers, final IntConsumer checked)
    {
        final Map<List<String>, List<SweepCell>> byWorkload = new LinkedHashMap<>();
        cells.forEach(cell -> byWorkload.computeIfAbsent(key(cell, firstSeed), each -> new ArrayList<>()).add(cell));
        for (final List<SweepCell> alike : byWorkload.values())
        {
            for (int from = 0; from < seeds; from += mostWorkloads)
            {
                final int count = Math.min(mostWorkloads, seeds - from);
                for (final SweepCell cell : alike)
                {
                    check(cell, firstSeed + from, count, workers);
                    checked.accept(count);
                }
            }
        }
    }

    private void check(final SweepCell cell, final long from, final int seeds, final int workers)
    {
        long seed = firstSeed;
        try
        {
            final SimulateCommand simulate = simulate(cell, firstSeed);
            final SchedulerConfig config = simulate.config();
            MemoryNeed.checkPools(config, config.kvBlocks(), workers, limits);
            for (seed = from; seed < from + seeds; seed++)
            {
                simulate.simulation(workload(simulate, cell, seed));
            }
        }
        catch (final ConfigException e)
        {
            throw e.at(seed == firstSeed ? cell.toString() : cell + " with seed " + seed);
        }
    }

    /** Whether a run of these cells has more requests than so many. */
    boolean haveMore(final List<SweepCell> cells, final int seeds, final long requests)
    {
        final Set<List<String>> counted = new HashSet<>();
        for (final SweepCell cell : cells)
        {
            for (long seed = firstSeed; seed < firstSeed + seeds; seed++)
            {
                if (counted.add(key(cell, seed)) &&
                    workload(simulate(cell, firstSeed), cell, seed).requests().size() > requests)
                {
                    return true;
                }
            }
        }
        return false;
    }

    @Override
    public RunReport run(final SweepCell cell, final long seed, final SimulationProgress progress)
    {
        try
        {
            final SimulateCommand simulate = simulate(cell, seed);
            return simulate.simulation(workload(simulate, cell, seed)).run(SteppedEngine::new, null, progress);
        }
        catch (final ConfigException e)
        {
            throw e.at(cell.toString());
        }
    }

    private Workload workload(final SimulateCommand simulate, final SweepCell cell, final long seed)
    {
        final Shared shared;
        synchronized (workloads)
        {
            shared = workloads.computeIfAbsent(key(cell, seed), each -> new Shared());
        }
        return shared.get(() -> simulate.workload(seed, firstSeed));
    }

    /** What determines the requests of a run. */
    private List<String> key(final SweepCell cell, final long seed)
    {
        final List<String> key = new ArrayList<>(List.of(SEED + seed));
        cell.options().forEach((name, value) ->
        {
            if (ofWorkload.contains(name))
            {
                key.add(name + "=" + value.stored());
            }
        });
        return key;
    }

    private SimulateCommand simulate(final SweepCell cell, final long seed)
    {
        final SimulateCommand simulate = new SimulateCommand(console);
        final CommandLine line = CommandModel.ungrouped(simulate);
        ArgumentConverters.register(line);
        final List<String> arguments = new ArrayList<>(known.arguments(cell.options()));
        arguments.add(SEED + seed);
        CommandModel.parse(line, arguments.toArray(new String[0]));
        return simulate;
    }
}
