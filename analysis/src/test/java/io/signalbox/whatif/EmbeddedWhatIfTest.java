// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.engine.Completion;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.FinishReason;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.D2hDelay;
import io.signalbox.sim.Simulation;
import io.signalbox.sim.SimulationConfig;
import io.signalbox.sim.StepCost;
import io.signalbox.workload.GeneratedWorkload;
import io.signalbox.workload.GeneratedWorkloadConfig;
import io.signalbox.workload.Workload;
import io.signalbox.workload.WorkloadRequest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Journals of engines whose backend is not the simulator: nothing but the events says what a re-run needs. */
@Tag("threads")
class EmbeddedWhatIfTest
{
    private static final int TURNS = 12;

    /**
     * A conversation of turns, each with the answers before it, some with a least length, on a threaded engine; then a
     * request that is too late.
     */
    private static MemoryGroups converse() throws InterruptedException
    {
        final EngineConfig config = new EngineConfig()
            .scheduler(SchedulerConfig.builder().ranks(2).kvBlocks(500).build()).backend(new EchoRanks());
        final MemoryGroups groups = new MemoryGroups(config.runSettings());
        try (SignalboxEngine engine = SignalboxEngine.launch(config.journal(groups)))
        {
            int[] prompt = tokens(0, 30);
            for (int turn = 0; turn < TURNS; turn++)
            {
                final CompletionRequest request =
                    CompletionRequest.prompt(prompt).conversation(5).maxNewTokens(40);
                final Completion answer =
                    engine.submit(turn % 3 == 2 ? request.stopAt(49, 7).minNewTokens(20) : request).await();
                final int[] next = Arrays.copyOf(prompt, prompt.length + answer.tokens().length + 11);
                System.arraycopy(answer.tokens(), 0, next, prompt.length, answer.tokens().length);
                System.arraycopy(tokens(turn + 1, 11), 0, next, next.length - 11, 11);
                prompt = next;
            }
            assertEquals(FinishReason.DEADLINE, engine.submit(CompletionRequest.prompt(tokens(99, 20)).maxNewTokens(9)
                .deadline(Duration.ofNanos(1))).await().reason());
        }
        return groups;
    }

    private static int[] tokens(final int from, final int count)
    {
        final int[] tokens = new int[count];
        Arrays.setAll(tokens, i -> (from * 31 + i) % 50);
        return tokens;
    }

    @Test
    @Timeout(value = 2, unit = TimeUnit.MINUTES)
    void shouldReRunTheJournalOfAThreadedEngine() throws InterruptedException
    {
        final MemoryGroups groups = converse();
        final SchedulerConfig config = SchedulerConfig.of(groups.cursor().settings());
        final WhatIfReport report = WhatIf.read(groups.cursor(), config).ask(List.of(
            new Variant("other blocks", config.toBuilder().blockSizeTokens(24).build()),
            new Variant("one rank", config.toBuilder().ranks(1).build())), 2, 5, 1, (parts, ended, total) -> { });

        assertEquals("fitted", report.recorded().stepTimes().source());
        assertTrue(report.recorded().stepTimes().steps() > TURNS, report.recorded().stepTimes().toString());
        assertTrue(report.recorded().report().prefixCache().generatedBlocks() > 0, "no answer was shared");
        // Turns follow one another, so no time decides anything: not a placement, a cached token or a sampled one differs.
        // How far the request with the deadline comes is a matter of time.
        assertEquals(List.of(), report.unchanged().decisions().list().stream()
            .filter(it -> !it.before().startsWith("deadline") || !it.after().startsWith("deadline")).toList());
        assertEquals(report.recorded().report().prefixCache(), report.unchanged().report().prefixCache());
        assertEquals(TURNS, report.unchanged().requests().compared());
        assertEquals(1, report.unchanged().report().requests().missedDeadlines());
        assertTrue(report.variants().get(0).report().prefixCache().matchedTokens() > 0, "larger blocks are not shared");
        assertEquals(List.of(), report.notRepeated());
    }

    /** Two requests of a conversation; the one with the lower id comes after the other one has ended. */
    private static final class LowerFollower implements Workload
    {
        @Override
        public List<WorkloadRequest> requests()
        {
            return List.of(WorkloadRequest.arriving(1, 60_000_000_000L, 50, 5).ofConversation(9),
                WorkloadRequest.arriving(2, 0, 40, 5).ofConversation(9));
        }

        @Override
        public int blockHashes(final WorkloadRequest request, final int blockSizeTokens, final long[] target)
        {
            final int blocks = request.promptTokens() / blockSizeTokens;
            Arrays.setAll(target, i -> 10 * request.requestId() + i);
            return blocks;
        }

        @Override
        public String placeOf(final WorkloadRequest request)
        {
            return "request " + request.requestId();
        }

        @Override
        public Map<String, String> settings()
        {
            return Map.of();
        }
    }

    @Test
    void shouldNameFollowUpsWithALowerId()
    {
        final SchedulerConfig config = SchedulerConfig.builder().ranks(1).kvBlocks(100).build();
        final Map<String, String> settings =
            new TreeMap<>(new Simulation(config, SimulationConfig.DEFAULT, new LowerFollower()).settings());
        settings.keySet().removeIf(name -> name.startsWith("sim."));
        final WhatIfReport report = WhatIf.read(
            WhatIfTest.record(config, SimulationConfig.DEFAULT, new LowerFollower()).with(settings).cursor(), config)
            .ask(List.of(), 1, 5, 1, (parts, ended, total) -> { });

        assertEquals(List.of("1 follow-up with a lower id than the request before in the conversation: re-run at the " +
            "recorded time of arrival"), report.notRepeated());
        assertEquals(2, report.unchanged().requests().compared());
    }

    @Test
    void shouldFindTheCostsOfTheSteps()
    {
        final StepCost cost = new StepCost(2_000_000, 7_000, 30_000, 50_000);
        final SimulationConfig simulation =
            SimulationConfig.DEFAULT.withStepCost(cost).withD2hDelay(new D2hDelay(40_000, 0, 0));
        final SchedulerConfig config = SchedulerConfig.builder().ranks(3).kvBlocks(3000).build();
        final Workload workload = GeneratedWorkload.of(GeneratedWorkloadConfig.builder().conversations(20).build());
        final Map<String, String> settings = new TreeMap<>(new Simulation(config, simulation, workload).settings());
        settings.keySet().removeIf(name -> name.startsWith("sim.") || name.startsWith("workload."));
        final WhatIf question =
            WhatIf.read(WhatIfTest.record(config, simulation, workload).with(settings).cursor(), config);
        final WhatIfReport report = question.ask(List.of(), 1, 5, 1, (parts, ended, total) -> { });

        assertEquals(cost.baseNanos(), question.stepCost().baseNanos(), 10);
        assertEquals(cost.perPrefillTokenNanos(), question.stepCost().perPrefillTokenNanos(), 1);
        assertEquals(cost.perDecodeEntryNanos(), question.stepCost().perDecodeEntryNanos(), 10);
        assertEquals(cost.perContextTokenPicos(), question.stepCost().perContextTokenPicos(), 100);
        assertTrue(report.recorded().stepTimes().medianErrorPercent() < 0.01, report.recorded().stepTimes().toString());
        assertEquals("40000", report.recorded().stepTimes().cost().get("sim.d2hDelay.baseNanos"));
        assertEquals(0, report.unchanged().decisions().placements().different());
    }
}
