// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.ConfigException;
import io.signalbox.compare.ComparisonProgress;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.report.RunReport;
import io.signalbox.report.ServiceLevel;
import io.signalbox.scheduler.CachedPrefixes;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.Simulation;
import io.signalbox.sim.SimulationConfig;
import io.signalbox.state.FoldedMatches;
import io.signalbox.state.RunFold;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Simulates the requests of a recorded run under several settings, several runs at a time. */
final class ReRuns
{
    private final SimulationConfig simulation;
    /** {@code null}: caches begin empty. */
    private final CachedPrefixes cached;
    /** {@code null}: goodput is not asked for. */
    private final ServiceLevel level;
    private final boolean countsComputed;
    private final ComparisonProgress progress;
    private long parts;
    private int ended;
    private volatile boolean abandoned;

    /** A variant with the requests that it is to run. */
    record Run(Variant variant, RecordedWorkload workload)
    {
    }

    /**
     * @param cached         blocks that ranks have cached at the start; {@code null}: none.
     * @param level          limits of the goodput of the runs; {@code null}: not asked for.
     * @param countsComputed whether the outcomes say which tokens were computed.
     */
    ReRuns(
        final SimulationConfig simulation,
        final CachedPrefixes cached,
        final ServiceLevel level,
        final boolean countsComputed,
        final ComparisonProgress progress)
    {
        this.simulation = simulation;
        this.cached = cached;
        this.level = level;
        this.countsComputed = countsComputed;
        this.progress = progress;
    }

    /** The outcomes in the order of the runs. The first failure, in that order, ends all runs. */
    List<RunOutcome> run(final List<Run> asked, final int workers)
    {
        // A variant that does not fit these requests is refused before the first run begins.
        final List<Simulation> simulations = new ArrayList<>();
        for (final Run run : asked)
        {
            simulations.add(simulation(run));
        }
        final ExecutorService threads = Executors.newFixedThreadPool(Math.min(workers, asked.size()), task ->
        {
            final Thread thread = new Thread(task, "what-if");
            thread.setDaemon(true);
            return thread;
        });
        try
        {
            final List<Future<RunOutcome>> runs = new ArrayList<>();
            for (int i = 0; i < asked.size(); i++)
            {
                final int index = i;
                runs.add(threads.submit(() -> run(simulations.get(index), asked.get(index), asked.size())));
            }
            return await(runs);
        }
        finally
        {
            abandoned = true;
            threads.shutdownNow();
        }
    }

    private Simulation simulation(final Run run)
    {
        try
        {
            requireBlocksOfCache(run);
            return new Simulation(run.variant.config().toBuilder().capture(null).build(), simulation, run.workload, cached)
                .judging(level);
        }
        catch (final ConfigException e)
        {
            throw e.at("variant " + run.variant.name());
        }
    }

    private void requireBlocksOfCache(final Run run)
    {
        final int recorded = run.workload.blockSizeTokens();
        final int size = run.variant.config().blockSizeTokens();
        if (cached != null && size != recorded)
        {
            throw ConfigException.because(SchedulerConfig.BLOCK_SIZE_TOKENS.of(size), " is not that of the recorded " +
                    "caches, whose blocks have " + recorded + " tokens")
                .allowed(String.valueOf(recorded)).remedy("begin with empty caches, or with the run");
        }
    }

    private static List<RunOutcome> await(final List<Future<RunOutcome>> runs)
    {
        final List<RunOutcome> outcomes = new ArrayList<>();
        try
        {
            for (final Future<RunOutcome> run : runs)
            {
                outcomes.add(run.get());
            }
            return outcomes;
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
            throw new CancellationException("the re-runs were interrupted");
        }
        catch (final ExecutionException e)
        {
            if (e.getCause() instanceof Error error)
            {
                throw error;
            }
            throw (RuntimeException)e.getCause();
        }
    }

    private RunOutcome run(final Simulation run, final Run asked, final int total)
    {
        final SchedulerConfig config = asked.variant.config();
        final FoldedMatches matches =
            FoldedMatches.of(config.ranks(), config.blockSizeTokens(), config.evictionPolicy() == EvictionPolicy.LRU);
        for (int rank = 0; rank < config.ranks() && cached != null; rank++)
        {
            for (final CachedPrefixes.Block block : cached.kept(rank, config.ranks(), config.kvBlocks() - 1))
            {
                matches.cached(rank, block.hash());
            }
        }
        final RunCollector collector = new RunCollector(config.blockSizeTokens(), matches, countsComputed);
        final RunFold fold = RunFold.of(matches, collector);
        final long[] reached = new long[1];
        final RunReport report = run.run(SteppedEngine::new,
            (time, group, offset, length, rows) -> fold.onGroup(group, offset, length), (done, requests, nanos) ->
        {
            if (abandoned)
            {
                throw new CancellationException("another re-run has failed");
            }
            final long now = requests == 0 ? 0 : (long)done * (ComparisonProgress.PARTS_PER_RUN - 1) / requests;
            if (now > reached[0])
            {
                advance(now - reached[0], 0, total);
                reached[0] = now;
            }
        });
        advance(ComparisonProgress.PARTS_PER_RUN - reached[0], 1, total);
        return new RunOutcome(report, collector, asked.workload);
    }

    private synchronized void advance(final long more, final int runs, final int total)
    {
        parts += more;
        ended += runs;
        progress.onProgress(parts, ended, total);
    }
}
