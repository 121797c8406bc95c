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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** The runs of a sweep: each is {@code signalbox simulate} with the options of its cell, without a journal. */
final class SweptRuns implements Sweep.Runner
{
    private static final String SEED = "--seed=";
    /** Workloads in memory beside those that runs read. */
    private static final int SPARE_WORKLOADS = 2;

    private final Console console;
    private final SweptOptions known;
    /** Names of the options that determine the requests. */
    private final Set<String> ofWorkload;
    private final HeapLimits limits = MachineMemory.limits();
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
    SweptRuns(final Console console, final SweptOptions known, final Set<String> ofWorkload, final int workers)
    {
        this.console = console;
        this.known = known;
        this.ofWorkload = ofWorkload;
        workloads = new LinkedHashMap<>(2 * workers, 0.75F, true)
        {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(final Map.Entry<List<String>, Shared> eldest)
            {
                return size() > workers + SPARE_WORKLOADS;
            }
        };
    }

    /**
     * Checks a cell before the first run, with the requests of a seed.
     *
     * @param workers runs at a time.
     * @throws ConfigException that names the cell if its options do not fit together, its pools do not fit into memory, or a
     *                         request does not fit into a pool.
     */
    void check(final SweepCell cell, final long seed, final int workers)
    {
        try
        {
            final SimulateCommand simulate = simulate(cell, List.of(SEED + seed));
            final SchedulerConfig config = simulate.config();
            MemoryNeed.checkPools(config, config.kvBlocks(), workers, limits);
            simulate.simulation(source -> shared(cell, seed).get(source));
        }
        catch (final ConfigException e)
        {
            throw e.at(cell.toString());
        }
    }

    @Override
    public RunReport run(final SweepCell cell, final long seed, final SimulationProgress progress)
    {
        try
        {
            return simulate(cell, List.of(SEED + seed)).simulation(source -> shared(cell, seed).get(source))
                .run(SteppedEngine::new, null, progress);
        }
        catch (final ConfigException e)
        {
            throw e.at(cell.toString());
        }
    }

    private Shared shared(final SweepCell cell, final long seed)
    {
        final List<String> key = new ArrayList<>(List.of(SEED + seed));
        cell.options().forEach((name, value) ->
        {
            if (ofWorkload.contains(name))
            {
                key.add(name + "=" + value.stored());
            }
        });
        synchronized (workloads)
        {
            return workloads.computeIfAbsent(key, each -> new Shared());
        }
    }

    private SimulateCommand simulate(final SweepCell cell, final List<String> others)
    {
        final SimulateCommand simulate = new SimulateCommand(console);
        final CommandLine line = CommandModel.ungrouped(simulate);
        ArgumentConverters.register(line);
        final List<String> arguments = new ArrayList<>(known.arguments(cell.options()));
        arguments.addAll(others);
        CommandModel.parse(line, arguments.toArray(new String[0]));
        return simulate;
    }
}
