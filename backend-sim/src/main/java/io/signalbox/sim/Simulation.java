// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.BufferAccess;
import io.signalbox.ConfigException;
import io.signalbox.SeededTokens;
import io.signalbox.cost.ServedStepCost;
import io.signalbox.engine.Engine;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.GroupJournal;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.report.ReportListener;
import io.signalbox.report.RunReport;
import io.signalbox.report.ServiceLevel;
import io.signalbox.scheduler.BatchSettings;
import io.signalbox.scheduler.CachedPrefixes;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.state.RunFold;
import io.signalbox.state.RunListener;
import io.signalbox.workload.VirtualTime;
import io.signalbox.workload.Workload;

import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** One run of a workload on simulated ranks, through a real engine, in virtual time. */
public final class Simulation
{
    private final SchedulerConfig schedulerConfig;
    private final SimulationConfig simulationConfig;
    private final Workload workload;
    /** {@code null}: caches begin empty. */
    private final CachedPrefixes cached;
    private ServiceLevel level;

    /**
     * @throws io.signalbox.ConfigException when the fault plan has a fault that this configuration cannot have, or the
     *                                      series of accepted drafts, or recorded prompts, do not fit it.
     */
    public Simulation(
        final SchedulerConfig schedulerConfig, final SimulationConfig simulationConfig, final Workload workload)
    {
        this(schedulerConfig, simulationConfig, workload, null);
    }

    /**
     * As the other one, with caches that are not empty.
     *
     * @param cached blocks that ranks have cached at the start; null: none.
     */
    public Simulation(
        final SchedulerConfig schedulerConfig,
        final SimulationConfig simulationConfig,
        final Workload workload,
        final CachedPrefixes cached)
    {
        this.cached = cached;
        this.schedulerConfig = configFor(schedulerConfig, simulationConfig);
        this.simulationConfig = simulationConfig;
        this.workload = workload;
        checkServed(this.schedulerConfig, simulationConfig.servedCost());
        if (simulationConfig.faults() != null)
        {
            simulationConfig.faults().check(schedulerConfig);
        }
        if (workload.recorded() != null)
        {
            RecordedSubmits.check(workload, schedulerConfig);
        }
        if (simulationConfig.acceptanceSeries() != null)
        {
            AcceptanceFit.check(simulationConfig.acceptanceSeries(), workload, schedulerConfig);
        }
    }

    /** Ranks that share experts are the attention groups of one deployment, and step together. */
    private static void checkServed(final SchedulerConfig scheduler, final ServedStepCost cost)
    {
        final int groups = cost == null ? 1 : cost.shape().dataParallel();
        if (groups > 1 && (scheduler.ranks() != groups || !scheduler.lockStep()))
        {
            throw ConfigException.because(SchedulerConfig.RANKS.of(scheduler.ranks()), scheduler.lockStep() ? "" :
                " without lock-step", " does not fit the deployment " + cost.deployment() + " with dp" + groups)
                .allowed(groups + ", in lock-step").remedy("give " + groups + " ranks in lock-step");
        }
    }

    /**
     * With the depth for which ranks are simulated, whatever engine drives them. A fault plan lets lost ranks return;
     * without one no step fails, so there are no suspects.
     */
    static SchedulerConfig configFor(final SchedulerConfig config, final SimulationConfig simulation)
    {
        final boolean hasFaults = simulation.faults() != null;
        return config.toBuilder().depth(config.depth()).ranksReturn(config.ranksReturn() || hasFaults)
            .set(BatchSettings.SUSPECT_TURNS, config.get(BatchSettings.SUSPECT_TURNS) && hasFaults).build();
    }

    /** Reports the requests that met a service level as well; {@code null}: not asked for. */
    public Simulation judging(final ServiceLevel asked)
    {
        level = asked;
        return this;
    }

    /** Everything the run depends on: the settings of scheduler, simulated backend and workload, sorted by name. */
    public Map<String, String> settings()
    {
        final Map<String, String> settings = new TreeMap<>(schedulerConfig.settings());
        settings.putAll(simulationConfig.settings());
        settings.putAll(workload.settings());
        return settings;
    }

    /** Runs in the calling thread, without a journal, until every request has ended. */
    public RunReport run()
    {
        return run(SteppedEngine::new, null, SimulationProgress.NONE);
    }

    /**
     * Runs until every request has ended; the engine, and with it the journal, is closed on return. The journal of a run
     * that fails says so.
     *
     * @param journal null: none.
     * @throws io.signalbox.ConfigException    when this JVM lacks a flag that buffers need, or simulated time would pass
     *                                         {@link VirtualTime#MAX_NANOS}: before the engine is opened if the workload
     *                                         alone says so, else in the course of the run.
     * @throws io.signalbox.InvariantViolation when requests are alive and nothing is left that could happen.
     */
    public RunReport run(final EngineFactory engines, final GroupJournal journal, final SimulationProgress progress)
    {
        return run(engines, journal, null, progress);
    }

    /**
     * As the other method, with a second thread for what nobody waits for: the journal and the counts of its rows, or the
     * whole report if there is no journal.
     *
     * @param behind makes a journal of another one, to which it appends in another thread; {@code null}: there is none.
     */
    public RunReport run(
        final EngineFactory engines,
        final GroupJournal journal,
        final UnaryOperator<GroupJournal> behind,
        final SimulationProgress progress)
    {
        BufferAccess.require();
        TimeFit.check(workload, schedulerConfig, simulationConfig);
        final RequestEnds ends = new RequestEnds();
        final ReportListener report = new ReportListener(schedulerConfig).judging(level);
        final boolean capture = schedulerConfig.capture() != null;
        // One other thread is enough: it counts what nobody journals.
        final boolean countsBehind = behind != null && journal == null;
        final RunFold counted = countsBehind ? RunFold.of(report) : null;
        final GroupJournal tapped = tapped(counted == null ? journal :
            (time, group, offset, length, rows) -> counted.onGroup(group, offset, length), report, behind);
        final Submits submits = workload.recorded() == null
            ? new SubmitWriter(workload, schedulerConfig, capture ? 0 : -1, simulationConfig.seed())
            : new RecordedSubmits(workload.recorded(), schedulerConfig);
        final SimulatedBackend backend = new SimulatedBackend(
            simulationConfig, schedulerConfig,
            capture ? new RowKeys(workload, schedulerConfig.blockSizeTokens()) : null,
            DraftAcceptance.of(simulationConfig, workload), SampledTokens.of(simulationConfig.seed(), workload));
        final FaultPlan plan = simulationConfig.faults();
        final FaultWatch faults = plan == null ? null : new FaultWatch(plan, schedulerConfig, simulationConfig.seed());
        final RunListener[] listeners =
            Stream.of(countsBehind ? null : report, faults).filter(Objects::nonNull).toArray(RunListener[]::new);
        final EngineConfig context = new EngineConfig()
            .scheduler(schedulerConfig)
            .backend(backend)
            .listener(ends.beside(listeners))
            .vocabularySize(workload.recorded() == null ? SeededTokens.VOCABULARY_SIZE : Integer.MAX_VALUE)
            .wakeSource(EngineConfig.WakeSource.CALLER)
            .journal(tapped);
        if (cached != null)
        {
            context.cachedPrefixes(cached);
        }
        try (Engine engine = engines.open(context))
        {
            run(new SimulationDriver(
                engine, backend, ends, workload, submits, faults, simulationConfig.newWeights(), progress), tapped);
        }
        return faults == null ? report.report() : report.report().withFaults(faults.report(backend.faults()));
    }

    private GroupJournal tapped(
        final GroupJournal journal, final ReportListener report, final UnaryOperator<GroupJournal> behind)
    {
        final GroupJournal kept = journal == null ? GroupJournal.NONE : journal;
        final GroupJournal tapped = schedulerConfig.capture() == null ? kept : new ChunkedRowsTap(kept, report);
        return behind == null ? tapped : behind.apply(tapped);
    }

    /** The engine does not know why the driver stopped, and yet the journal must not say that the run ended. */
    private static void run(final SimulationDriver driver, final GroupJournal journal)
    {
        try
        {
            driver.run();
        }
        catch (final RuntimeException | Error e)
        {
            journal.cutShort();
            throw e;
        }
    }

    @Override
    public String toString()
    {
        return workload.requests().size() + " requests on " + schedulerConfig;
    }
}
