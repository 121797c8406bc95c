// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sweep;

import io.signalbox.compare.ComparisonProgress;
import io.signalbox.compare.Figure;
import io.signalbox.compare.ParallelRuns;
import io.signalbox.compare.RunningParts;
import io.signalbox.report.RunReport;
import io.signalbox.sim.SimulationProgress;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/** Runs the cells of a shard whose results are missing, several at a time. */
public final class Sweep
{
    private final SweepDirectory results;
    private final Runner runner;
    private final ParallelRuns parallel = new ParallelRuns();

    /** @param runner called from several threads. */
    public Sweep(final SweepDirectory results, final Runner runner)
    {
        this.results = results;
        this.runner = runner;
    }

    /** Simulates one run. */
    @FunctionalInterface
    public interface Runner
    {
        RunReport run(SweepCell cell, long seed, SimulationProgress progress);
    }

    private record Missing(SweepCell cell, long seed)
    {
    }

    /** Runs of these cells that have not ended. */
    public int missing(final SweepPlan plan, final List<SweepCell> cells)
    {
        return missingRuns(plan, cells).size();
    }

    private List<Missing> missingRuns(final SweepPlan plan, final List<SweepCell> cells)
    {
        final List<Missing> missing = new ArrayList<>();
        for (final SweepCell cell : cells)
        {
            for (long seed = plan.firstSeed(); seed < plan.firstSeed() + plan.seeds(); seed++)
            {
                if (!results.hasEnded(cell, seed))
                {
                    missing.add(new Missing(cell, seed));
                }
            }
        }
        return missing;
    }

    /**
     * Runs until every run of these cells has ended. The first run is alone, so that its duration tells how long all take.
     *
     * @param workers    runs at a time, at least 1.
     * @param firstNanos receives the duration of the first run, if others follow.
     */
    public void run(
        final SweepPlan plan, final List<SweepCell> cells, final int workers, final ComparisonProgress progress,
        final LongConsumer firstNanos)
    {
        final List<Missing> missing = missingRuns(plan, cells);
        final RunningParts parts = new RunningParts(progress, Math.max(1, missing.size()));
        final List<Runnable> runs = new ArrayList<>();
        missing.forEach(each -> runs.add(() -> run(each, parts)));
        if (runs.size() > 1)
        {
            final long start = System.nanoTime();
            parallel.run(runs.subList(0, 1), 1);
            firstNanos.accept(System.nanoTime() - start);
            parallel.run(runs.subList(1, runs.size()), workers);
        }
        else
        {
            parallel.run(runs, 1);
        }
    }

    private void run(final Missing missing, final RunningParts parts)
    {
        final RunningParts.OfRun running = parts.begin();
        final RunReport report = runner.run(missing.cell, missing.seed, (done, total, nanos) ->
        {
            parallel.stopIfAbandoned();
            running.settled(done, total);
        });
        final double[] figures = new double[Figure.values().length];
        for (final Figure figure : Figure.values())
        {
            figures[figure.ordinal()] = figure.of(report);
        }
        results.append(new SweepRun(missing.cell.number(), missing.cell.key(), missing.seed, figures));
        running.end();
    }
}
