// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.engine.ThreadedEngine;
import io.signalbox.event.CommitView;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.experts.ModelShape;
import io.signalbox.report.RunReport;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.workload.Arrivals;
import io.signalbox.workload.GeneratedWorkload;
import io.signalbox.workload.GeneratedWorkloadConfig;
import io.signalbox.workload.SizeDistribution;
import io.signalbox.workload.Workload;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Simulated ranks with several steps in flight and draft tokens. */
@Tag("threads")
class SimulationDepthTest
{
    private static final Workload WORKLOAD = GeneratedWorkload.of(GeneratedWorkloadConfig.builder()
        .seed(5).conversations(25).arrivals(new Arrivals.Poisson(200.0)).systemPromptTokens(64)
        .userTokens(new SizeDistribution.Lognormal(60.0, 1.0, 1, 300)).outputTokens(new SizeDistribution.Zipf(0.5, 1, 60))
        .meanThinkTimeNanos(100_000_000L).maxContextTokens(1200).build());

    /** The tokens of each request and the digest of its rows. */
    private static final class Outcome extends ReadJournal
    {
        private final Map<Long, List<Integer>> tokens = new TreeMap<>();
        private final Map<Long, Long> rows = new TreeMap<>();

        @Override
        protected void onCommit(final CommitView commit)
        {
            int token = 0;
            for (int entry = 0; entry < commit.entryCount(); entry++)
            {
                for (int left = commit.emitted(entry); left > 0; left--)
                {
                    tokens.computeIfAbsent(commit.requestId(entry), id -> new ArrayList<>()).add(commit.token(token++));
                }
            }
        }

        @Override
        protected void onFree(final FreeDecoder end)
        {
            assertEquals(0, end.missingRows());
            rows.put(end.requestId(), end.rowsDigest());
        }
    }

    private static SchedulerConfig config(final int depth, final int drafts, final boolean lockStep)
    {
        return SchedulerConfig.builder().ranks(2).kvBlocks(300).stepTokens(256).maxRunning(16).lockStep(lockStep)
            .capture(new ModelShape(2, 16, 2)).depth(depth).draftTokens(drafts).build();
    }

    private static RunReport run(final SchedulerConfig config, final Outcome outcome)
    {
        return new Simulation(config, SimulationConfig.DEFAULT, WORKLOAD)
            .run(SteppedEngine::new, outcome, SimulationProgress.NONE);
    }

    @ParameterizedTest
    @CsvSource({"1, 3, false", "2, 0, false", "2, 3, false", "4, 0, false", "4, 2, false", "2, 0, true", "3, 2, true"})
    void shouldGiveEveryRequestTheTokensAndRowsThatItGetsAtDepthOne(
        final int depth, final int drafts, final boolean lockStep)
    {
        final Outcome plain = new Outcome();
        run(config(1, 0, false), plain);
        final Outcome deep = new Outcome();
        final RunReport report = run(config(depth, drafts, lockStep), deep);
        assertEquals(WORKLOAD.requests().size(), report.requests().completed());
        assertEquals(plain.tokens, deep.tokens);
        assertEquals(plain.rows, deep.rows);
    }

    @Test
    void shouldBringTheSecondStepAndDraftTokensCloserTogether()
    {
        final long tpot = run(config(1, 0, false), new Outcome()).latency().tpot().p50Nanos();
        assertTrue(run(config(2, 0, false), new Outcome()).latency().tpot().p50Nanos() < tpot,
            "the device does not wait for results on their way to the host");
        assertTrue(run(config(1, 3, false), new Outcome()).latency().tpot().p50Nanos() < tpot,
            "an accepted draft token saves a step");
    }

    @Test
    void shouldAcceptAsManyDraftTokensAsTheModelSays()
    {
        final SchedulerConfig config = config(1, 3, false);
        final List<Long> steps = new ArrayList<>();
        for (final double acceptance : new double[] {0.0, 0.5, 1.0})
        {
            steps.add(new Simulation(config, SimulationConfig.DEFAULT.withDraftAcceptance(acceptance), WORKLOAD)
                .run(SteppedEngine::new, null, SimulationProgress.NONE).steps().steps());
        }
        assertEquals(steps.stream().sorted((a, b) -> Long.compare(b, a)).toList(), steps);
        assertNotEquals(steps.get(0), steps.get(2));
    }

    @ParameterizedTest
    @CsvSource({"2, 0", "3, 2"})
    void shouldGiveTheSameGroupsWithThreadsAndWithout(final int depth, final int drafts)
    {
        final RecordingJournal stepped = new RecordingJournal();
        final RecordingJournal threaded = new RecordingJournal();
        new Simulation(config(depth, drafts, false), SimulationConfig.DEFAULT, WORKLOAD)
            .run(SteppedEngine::new, stepped, SimulationProgress.NONE);
        new Simulation(config(depth, drafts, false), SimulationConfig.DEFAULT, WORKLOAD)
            .run(SimulationDepthTest::threaded, threaded, SimulationProgress.NONE);
        assertEquals(stepped.checksum(), threaded.checksum());
    }

    private static ThreadedEngine threaded(final EngineConfig context)
    {
        return new ThreadedEngine(context.ingressSlots(8).trackSlots(8));
    }
}
