// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.SeededTokens;
import io.signalbox.engine.Engine;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.event.CommitView;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.workload.Workload;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A run with recorded acceptance that checks itself: each step accepts as many draft tokens of a request as its plan permits
 * and a plain list of counts says. It remembers tokens and rows for comparisons.
 */
final class RecordedRun extends ReadJournal
{
    final List<String> findings = new ArrayList<>();
    final Map<Long, List<Integer>> tokens = new TreeMap<>();
    final Map<Long, Long> rows = new TreeMap<>();
    final Map<Long, List<Integer>> emissions = new TreeMap<>();

    private final Workload workload;
    private final List<List<Integer>> counts;
    /** Most tokens of each entry in flight, and its end; by rank, step and request. */
    private final Map<List<Long>, int[]> planned = new HashMap<>();

    private RecordedRun(final Workload workload, final List<List<Integer>> counts)
    {
        this.workload = workload;
        this.counts = counts;
    }

    /** @param counts of each request; null: nothing is checked. */
    static RecordedRun of(
        final SchedulerConfig scheduler,
        final SimulationConfig simulation,
        final Workload workload,
        final List<List<Integer>> counts,
        final DraftAcceptance drafts)
    {
        final RecordedRun run = new RecordedRun(workload, counts);
        final SchedulerConfig config = Simulation.configFor(scheduler, simulation);
        final RequestEnds ends = new RequestEnds();
        final FaultWatch faults =
            simulation.faults() == null ? null : new FaultWatch(simulation.faults(), config, simulation.seed());
        final SimulatedBackend backend = new SimulatedBackend(
            simulation, config, new RowKeys(workload, config.blockSizeTokens())::key, drafts,
            SampledTokens.seeded(simulation.seed()));
        final SubmitWriter submits = new SubmitWriter(workload, config, 0, simulation.seed());
        final EngineConfig context = new EngineConfig().scheduler(config).backend(backend).journal(run)
            .vocabularySize(SeededTokens.VOCABULARY_SIZE).wakeSource(EngineConfig.WakeSource.CALLER)
            .listener(faults == null ? ends : ends.beside(faults));
        try (Engine engine = new SteppedEngine(context))
        {
            new SimulationDriver(engine, backend, ends, workload, submits, faults, null, SimulationProgress.NONE).run();
        }
        return run;
    }

    @Override
    protected void onSchedule(final StepView plan)
    {
        for (int entry = 0; entry < plan.entryCount(); entry++)
        {
            planned.put(List.of((long)plan.rank(), plan.step(), plan.requestId(entry)), new int[] {
                plan.predecessorBack(entry) == 0 ? 1 : plan.tokenCount(entry), plan.end(entry)});
        }
    }

    @Override
    protected void onCommit(final CommitView step)
    {
        int token = 0;
        for (int entry = 0; entry < step.entryCount(); entry++)
        {
            final long id = step.requestId(entry);
            final int[] plan = planned.remove(List.of((long)step.rank(), step.step(), id));
            final int emitted = step.emitted(entry);
            final List<Integer> known = tokens.computeIfAbsent(id, request -> new ArrayList<>());
            if (emitted > 0 && counts != null)
            {
                check(id, known.size(), emitted, plan);
            }
            for (int left = emitted; left > 0; left--)
            {
                known.add(step.token(token++));
            }
            if (emitted > 0)
            {
                emissions.computeIfAbsent(id, request -> new ArrayList<>()).add(emitted);
            }
        }
    }

    /** The entry is fed the last of the known tokens, and then drafts of those that follow. */
    private void check(final long id, final int known, final int emitted, final int... plan)
    {
        final int start = workload.requests().get((int)id - 1).promptTokens() + known - 1;
        final int most = Math.min(plan[0], Math.max(1, plan[1] - start));
        int expected = 1;
        while (expected < most && isAccepted(id, known + expected - 1))
        {
            expected++;
        }
        if (expected != emitted)
        {
            findings.add("request " + id + " with " + known + " tokens emits " + emitted + " of at most " + most +
                ", and its series says " + expected);
        }
    }

    private boolean isAccepted(final long id, final int token)
    {
        int last = 0;
        for (final int count : counts.get((int)id - 1))
        {
            if (token <= last)
            {
                break;
            }
            last += count + 1;
        }
        return token < last;
    }

    @Override
    protected void onFree(final FreeDecoder end)
    {
        rows.put(end.requestId(), end.rowsDigest());
    }
}
