// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.ConfigException;
import io.signalbox.batch.UnderPressure;
import io.signalbox.compare.ComparisonProgress;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.BatchSettings;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.FaultPlan;
import io.signalbox.sim.Simulation;
import io.signalbox.sim.SimulationConfig;
import io.signalbox.sim.SimulationProgress;
import io.signalbox.sim.WeightsPlan;
import io.signalbox.workload.Arrivals;
import io.signalbox.workload.Cancellations;
import io.signalbox.workload.GeneratedWorkload;
import io.signalbox.workload.GeneratedWorkloadConfig;
import io.signalbox.workload.SizeDistribution;
import io.signalbox.workload.Workload;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class WhatIfTest
{
    private static final ComparisonProgress SILENT = (parts, ended, total) -> { };
    private static final SchedulerConfig CONFIG =
        SchedulerConfig.builder().ranks(4).kvBlocks(400).capture(new ModelShape(2, 8, 2)).build();

    private static Workload workload(final int clients)
    {
        return new Cancellations(0.1, 2_000_000_000L, 3).applyTo(GeneratedWorkload.of(GeneratedWorkloadConfig.builder()
            .conversations(40).clients(clients).arrivals(new Arrivals.Poisson(20.0)).systemPromptTokens(200)
            .meanThinkTimeNanos(clients == 0 ? 500_000_000L : 0)
            .outputTokens(new SizeDistribution.Zipf(0.5, 1, 60)).build()));
    }

    static MemoryGroups record(final SchedulerConfig config, final SimulationConfig simulation, final Workload workload)
    {
        final Simulation run = new Simulation(config, simulation, workload);
        final MemoryGroups groups = new MemoryGroups(run.settings());
        run.run(SteppedEngine::new, groups, SimulationProgress.NONE);
        return groups;
    }

    private static WhatIfReport ask(final MemoryGroups groups, final SchedulerConfig recorded, final Variant... variants)
    {
        return WhatIf.read(groups.cursor(), recorded).ask(List.of(variants), 2, 10, SILENT);
    }

    private static void assertReproduced(final WhatIfReport report)
    {
        assertEquals(0, report.unchanged().decisions().different(), report.unchanged().decisions().list().toString());
        assertTrue(report.unchanged().decisions().total() > 100);
        assertEquals(report.recorded().decisionDigest(), report.unchanged().decisionDigest());
        assertEquals(report.recorded().report().latency(), report.unchanged().report().latency());
        assertEquals(report.recorded().report().prefixCache(), report.unchanged().report().prefixCache());
        assertEquals(Map.of(), report.unchanged().changed());
    }

    private static SchedulerConfig configOf(final String name)
    {
        final SchedulerConfig.Builder builder = CONFIG.toBuilder();
        return switch (name)
        {
            case "depth" -> builder.depth(2).build();
            case "drafts" -> builder.depth(2).draftTokens(3).build();
            case "lock-step" -> builder.lockStep(true).build();
            case "pressure" -> builder.kvBlocks(120).build();
            case "pause" -> builder.kvBlocks(120).set(BatchSettings.UNDER_PRESSURE, UnderPressure.PAUSE).build();
            case "partial" -> builder.set(BatchSettings.PARTIAL_BLOCKS, 4).build();
            case "router" -> builder.router("round-robin").build();
            default -> builder.build();
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain", "depth", "drafts", "lock-step", "pressure", "pause", "partial", "router"})
    void shouldReproduceEveryDecisionUnderUnchangedSettings(final String name)
    {
        final SchedulerConfig config = configOf(name);
        assertReproduced(ask(record(config, SimulationConfig.DEFAULT, workload(0)), config));
    }

    @Test
    void shouldReproduceClientsThatStartASessionWhenTheyAreFree()
    {
        assertReproduced(ask(record(CONFIG, SimulationConfig.DEFAULT, workload(6)), CONFIG));
    }

    @Test
    void shouldReproduceFaultsAndNewWeights()
    {
        final SimulationConfig simulation = SimulationConfig.DEFAULT
            .withFaults(FaultPlan.parse("rank 1 step 20 lost back-after 300ms; dropped=0.002,failed=0.01"))
            .withNewWeights(WeightsPlan.parse("requeue@500ms"));
        final MemoryGroups groups = record(CONFIG, simulation, workload(0));

        assertReproduced(ask(groups, CONFIG.toBuilder().ranksReturn(true).build()));
    }

    /** The sampled tokens decide the hashes of the blocks that decoding fills. */
    @Test
    void shouldReproduceARunWhoseTokensAreOnlyInTheJournal()
    {
        final SimulationConfig simulation = SimulationConfig.DEFAULT.withSeed(77);
        final SchedulerConfig config = configOf("drafts");
        final MemoryGroups groups = record(config, simulation, workload(0));
        final Map<String, String> settings = new TreeMap<>(new Simulation(config, simulation, workload(0)).settings());
        settings.put("sim.acceptanceSeries.file", "accepted.jsonl");

        assertReproduced(ask(groups.with(settings), config));
        settings.put("sim.seed", "78");
        settings.put("sim.d2hDelay.jitterNanos", "0");
        final WhatIfReport otherSeed = ask(groups.with(settings), config);
        assertEquals(otherSeed.recorded().report().inFlight().acceptedDrafts(),
            otherSeed.unchanged().report().inFlight().acceptedDrafts());
    }

    @Test
    void shouldFindWhatAnotherRouterDecides()
    {
        final MemoryGroups groups = record(CONFIG, SimulationConfig.DEFAULT, workload(0));
        final WhatIfReport report = ask(groups, CONFIG,
            new Variant("turns", CONFIG.toBuilder().router("round-robin").build()),
            new Variant("small", CONFIG.toBuilder().kvBlocks(150).build()));

        assertReproduced(report);
        final WhatIfReport.ReRun turns = report.variants().get(0);
        assertTrue(turns.decisions().placements().different() > 0);
        assertEquals(turns.decisions().total(), turns.decisions().placements().total() +
            turns.decisions().admissions().total() + turns.decisions().preemptions().total() +
            turns.decisions().outcomes().total());
        assertEquals(10, turns.decisions().list().size());
        assertEquals(new WhatIfReport.Change("signalbox", "round-robin"), turns.changed().get("router.label"));
        assertNotEquals(turns.decisions().first().before().rank(), turns.decisions().first().after().rank());
        assertEquals(4, turns.decisions().first().before().candidates().size());
        assertEquals(turns.requests().compared(),
            turns.requests().faster() + turns.requests().slower() + turns.requests().equal());
        final WhatIfReport.ReRun small = report.variants().get(1);
        // Prompts that no pool can hold are refused, and nothing follows them.
        assertTrue(small.report().requests().refused() > 0, small.report().requests().toString());
        assertTrue(small.requests().onlyBefore() > 0, small.requests().toString());
        assertTrue(small.requests().notSubmitted() > 0, small.requests().toString());
        assertEquals(new WhatIfReport.Change("400", "150"), small.changed().get("scheduler.kvBlocks"));
    }

    @Test
    void shouldGiveTheSameReportForAnyNumberOfWorkers()
    {
        final MemoryGroups groups = record(CONFIG, SimulationConfig.DEFAULT, workload(0));
        final List<Variant> variants = List.of(
            new Variant("a", CONFIG.toBuilder().router("min-max").build()),
            new Variant("b", CONFIG.toBuilder().ranks(2).build()),
            new Variant("c", CONFIG.toBuilder().stepTokens(512).build()));
        final WhatIf question = WhatIf.read(groups.cursor(), CONFIG);

        assertEquals(question.ask(variants, 1, 1000, SILENT), question.ask(variants, 3, 1000, SILENT));
    }

    @Test
    void shouldRunPromptsInBlocksOfOtherSizes()
    {
        final MemoryGroups groups = record(CONFIG, SimulationConfig.DEFAULT, workload(0));
        final WhatIfReport report = ask(groups, CONFIG,
            new Variant("larger", CONFIG.toBuilder().blockSizeTokens(32).kvBlocks(200).build()),
            new Variant("smaller", CONFIG.toBuilder().blockSizeTokens(8).kvBlocks(800).build()));

        report.variants().forEach(run -> assertTrue(run.report().prefixCache().matchedTokens() > 0, run.name()));
        final ConfigException fault = assertThrows(ConfigException.class, () -> ask(
            groups, CONFIG, new Variant("odd", CONFIG.toBuilder().blockSizeTokens(24).build())));
        assertEquals("variant odd: blockSizeTokens=24 is neither a multiple nor a divisor of the 16 tokens whose hashes " +
            "the journal has, and it has no prompt tokens; give a multiple or a divisor.", fault.getMessage());
    }

    @Test
    void shouldRefuseTwoVariantsOfOneName()
    {
        final WhatIf question = WhatIf.read(record(CONFIG, SimulationConfig.DEFAULT, workload(0)).cursor(), CONFIG);
        assertEquals("two variants are called 'a'; give each its own name.", assertThrows(ConfigException.class,
            () -> question.ask(List.of(new Variant("a", CONFIG), new Variant("a", CONFIG)), 1, 1, SILENT)).getMessage());
        assertThrows(ConfigException.class, () -> question.ask(List.of(new Variant("unchanged", CONFIG)), 1, 1, SILENT));
    }
}
