// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.SeededTokens;
import io.signalbox.backend.Backend;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.engine.Engine;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.GroupJournal;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.event.CommitView;
import io.signalbox.event.EventReader;
import io.signalbox.event.GroupReader;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.codec.AcceptedDecoder;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.FreeReason;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.report.ReportListener;
import io.signalbox.report.RunReport;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.stats.EngineStats;
import io.signalbox.stats.LiveFigures;
import io.signalbox.workload.Workload;
import io.signalbox.workload.WorkloadRequest;
import org.agrona.DirectBuffer;
import org.agrona.collections.IntArrayList;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * A run with faults that checks itself: a second scheduler re-runs every input and must write the same groups, and what a
 * client sees is compared with the run in which nothing goes wrong. A check that fails is written down, so that a test can
 * also show that it is found.
 */
final class FaultyRun extends EventReader implements GroupJournal
{
    final List<String> findings = new ArrayList<>();
    RunReport report;

    private final SchedulerConfig config;
    private final SimulationConfig simulation;
    private final Workload workload;
    private final Scheduler again;
    private final LiveFigures figures;
    private final GroupWriter repeated = new GroupWriter(1024);
    private final GroupReader input = new GroupReader();
    private final Map<Long, IntArrayList> tokens = new TreeMap<>();
    private final Map<Long, FreeReason> ended = new TreeMap<>();

    private FaultyRun(final SchedulerConfig config, final SimulationConfig simulation, final Workload workload)
    {
        this.config = Simulation.configFor(config, simulation);
        this.simulation = simulation;
        this.workload = workload;
        again = new Scheduler(this.config);
        figures = new LiveFigures(this.config.ranks(), this.config.kvBlocks(), this.config.blockSizeTokens(),
            this.config.capture() == null ? 0 : this.config.capture().rowBytes(), this.config.routerLabel(true),
            this.config.routerLabel(false));
    }

    static FaultyRun of(final SchedulerConfig config, final SimulationConfig simulation, final Workload workload)
    {
        return of(config, simulation, workload, backend -> backend);
    }

    /** @param plant puts a backend with a defect around the simulated one. */
    static FaultyRun of(
        final SchedulerConfig config,
        final SimulationConfig simulation,
        final Workload workload,
        final UnaryOperator<Backend> plant)
    {
        final FaultyRun run = new FaultyRun(config, simulation, workload);
        run.run(plant);
        run.checkEnds();
        return run;
    }

    private void run(final UnaryOperator<Backend> plant)
    {
        final RequestEnds ends = new RequestEnds();
        final ReportListener figures = new ReportListener(config);
        final FaultWatch faults = new FaultWatch(simulation.faults(), config, simulation.seed());
        final SimulatedBackend backend = new SimulatedBackend(
            simulation, config, new RowKeys(workload, config.blockSizeTokens())::key);
        final SubmitWriter submits =
            new SubmitWriter(workload, config, config.capture() == null ? -1 : 0, simulation.seed());
        final EngineConfig context = new EngineConfig().scheduler(config).backend(plant.apply(backend))
            .journal(this).vocabularySize(SeededTokens.VOCABULARY_SIZE).wakeSource(EngineConfig.WakeSource.CALLER)
            .listener(ends.beside(figures, faults));
        try (Engine engine = new SteppedEngine(context))
        {
            new SimulationDriver(engine, backend, ends, workload, submits, faults, null, SimulationProgress.NONE).run();
        }
        report = figures.report().withFaults(faults.report(backend.faults()));
    }

    @Override
    public void append(
        final long timeNanos, final DirectBuffer group, final int offset, final int length, final CaptureSlice rows)
    {
        input.wrap(group, offset, length).next();
        repeated.reset();
        again.apply(group, input.offset(), input.messageLength(),
            rows == null ? null : rows.buffer(), rows == null ? 0 : rows.offset(), repeated);
        expect(Arrays.equals(bytes(group, offset, length), bytes(repeated.buffer(), 0, repeated.length())),
            "a group at " + timeNanos + " ns is another one when it is re-run");
        readGroup(group, offset, length);
        figures.onGroup(group, offset, length);
    }

    private static byte[] bytes(final DirectBuffer buffer, final int offset, final int length)
    {
        final byte[] bytes = new byte[length];
        buffer.getBytes(offset, bytes);
        return bytes;
    }

    private void expect(final boolean holds, final String finding)
    {
        if (!holds)
        {
            findings.add(finding);
        }
    }

    private WorkloadRequest request(final long id)
    {
        return workload.requests().get((int)id - 1);
    }

    @Override
    protected void onAccepted(final AcceptedDecoder answer)
    {
        expect(tokens.put(answer.requestId(), new IntArrayList()) == null, answer.requestId() + " is accepted twice");
    }

    @Override
    protected void onRefused(final RefusedDecoder answer)
    {
        expect(ended.put(answer.requestId(), FreeReason.FAILED) == null, answer.requestId() + " ends twice");
    }

    @Override
    protected void onCommit(final CommitView step)
    {
        int token = 0;
        for (int entry = 0; entry < step.entryCount(); entry++)
        {
            for (int left = step.emitted(entry); left > 0; left--)
            {
                onToken(step.requestId(entry), step.token(token++));
            }
        }
    }

    private void onToken(final long id, final int token)
    {
        final IntArrayList emitted = tokens.get(id);
        emitted.addInt(token);
        final int expected =
            SeededTokens.token(simulation.seed(), id, request(id).promptTokens() + emitted.size() - 1);
        expect(!ended.containsKey(id), "request " + id + " gets a token after its end");
        expect(token == expected,
            "token " + emitted.size() + " of request " + id + " is " + token + ", without faults it is " + expected);
    }

    @Override
    protected void onFree(final FreeDecoder end)
    {
        final long id = end.requestId();
        final int emitted = tokens.get(id).size();
        expect(ended.put(id, end.reason()) == null, "request " + id + " ends twice");
        expect(end.generatedTokens() == emitted, "request " + id + " ends with another number of tokens");
        if (end.reason() == FreeReason.LENGTH)
        {
            expect(emitted == request(id).outputTokens(), "request " + id + " ends before its length");
            final int rows = end.capturedRows() + end.inheritedRows() + end.missingRows();
            expect(config.capture() == null || rows == request(id).promptTokens() + Math.max(0, emitted - 1),
                "request " + id + " has " + rows + " rows for " + emitted + " tokens");
        }
    }

    private void checkEnds()
    {
        for (final long id : tokens.keySet())
        {
            expect(ended.containsKey(id), "request " + id + " never ends");
        }
        expect(again.liveRequests() == 0, again.liveRequests() + " requests are left in the scheduler");
        final RunReport.Requests requests = report.requests();
        expect(requests.submitted() ==
            requests.completed() + requests.cancelled() + requests.failed() + requests.refused(),
            "the ends do not add up: " + requests);
        expect(report.routedExperts().missing() == 0 || injected("corrupt expert"),
            report.routedExperts().missing() + " rows are missing, and no fault spoilt any");
        final RunReport.Faults faults = report.faults();
        final boolean steady = !injected("dropped") && !injected("late") && !injected("reordered") &&
            !injected("corrupt wrong-rank") && !injected("corrupt wrong-step");
        expect(faults.timedOutSteps() == 0 || !steady,
            faults.timedOutSteps() + " steps timed out, and no fault explains it");
        expect(faults.requeued() == 0 || faults.failedSteps() + faults.timedOutSteps() + faults.resets() > 0,
            faults.requeued() + " requests started over, and no step failed");
        checkFigures();
    }

    /** The figures of a running engine must be those of the report, which counts in another way. */
    private void checkFigures()
    {
        final EngineStats stats = figures.stats(null);
        final RunReport.Requests requests = report.requests();
        final EngineStats.RequestFigures counted = stats.requests();
        same("requests", List.of(0L, 0L, 0L, requests.submitted() - requests.refused(), requests.refused(),
                requests.completed(), requests.cancelled(), requests.failed()),
            List.of(counted.running(), counted.waiting(), counted.paused(), counted.accepted(), counted.refused(),
                counted.completed(), counted.cancelled(), counted.failed()));
        final RunReport.RowCounts rows = report.routedExperts();
        same("rows", List.of(rows.captured(), rows.inherited(), rows.missing()),
            List.of(stats.rows().captured(), stats.rows().inherited(), stats.rows().missing()));
        // The run ends with its last request: a step without tokens, of an idle rank in lock-step, may lack its report.
        final long unanswered = injected("dropped") ? stats.steps().inFlight() : 0;
        same("steps", List.of(unanswered, 0L, report.steps().preemptions(), report.throughput().outputTokens()),
            List.of(stats.steps().inFlight(), stats.steps().tokensInFlight(), counted.preemptions(),
                stats.steps().generatedTokens()));
        same("latencies", List.of(report.latency().ttft().count(), report.latency().itl().count(),
                report.latency().e2e().count(), orZero(report.latency().ttft().p50Nanos()),
                orZero(report.latency().ttft().maxNanos())),
            List.of(stats.timeToFirstToken().count(), stats.interTokenLatency().count(), stats.endToEnd().count(),
                stats.timeToFirstToken().p50Nanos(), stats.timeToFirstToken().maxNanos()));
        final RunReport.Placements placements = report.placements();
        final EngineStats.PlacementFigures decided = stats.placements();
        same("placements", List.of(placements.count(), placements.byFallback(), placements.onHints(), placements.bound(),
                placements.gateClosed()),
            List.of(decided.byRouter() + decided.byFallback(), decided.byFallback(), decided.onHint(),
                decided.byConversation(), decided.gateClosed()));
        same("routers", List.of(placements.byRouter().getOrDefault(decided.router(), 0L)),
            List.of(decided.byRouter() + (decided.router().equals(decided.fallbackRouter()) ? decided.byFallback() : 0)));
        for (final EngineStats.Rank rank : stats.ranks())
        {
            expect(rank.running() == 0 && rank.kvUsage() == 0.0, "a rank is not empty at the end: " + rank);
        }
        expect(stats.ranks().stream().mapToLong(EngineStats.Rank::resets).sum() == report.faults().resets(),
            "other resets: " + stats.ranks());
    }

    /** The report has no percentile of no samples; live figures have 0. */
    private static long orZero(final Long nanos)
    {
        return nanos == null ? 0 : nanos;
    }

    private void same(final String what, final List<Long> expected, final List<Long> actual)
    {
        expect(expected.equals(actual), "the live figures of " + what + " are " + actual + ", the report's " + expected);
    }

    boolean injected(final String label)
    {
        return report.faults().injected().keySet().stream().anyMatch(name -> name.startsWith(label));
    }

    FreeReason endOf(final long id)
    {
        return ended.get(id);
    }

    @Override
    public void endOfBatch()
    {
        // Nothing is held back.
    }

    @Override
    public void close()
    {
        // Holds nothing.
    }
}
