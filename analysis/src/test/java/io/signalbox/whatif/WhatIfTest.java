// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.ConfigException;
import io.signalbox.batch.UnderPressure;
import io.signalbox.compare.ComparisonProgress;
import io.signalbox.compare.Estimate;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.experts.ModelShape;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.report.ServiceLevel;
import io.signalbox.scheduler.BatchSettings;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.FaultPlan;
import io.signalbox.sim.Simulation;
import io.signalbox.sim.SimulationConfig;
import io.signalbox.sim.SimulationProgress;
import io.signalbox.sim.WeightsPlan;
import io.signalbox.state.FoldedMatches;
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
        return WhatIf.read(groups.cursor(), recorded).ask(List.of(variants), 2, 10, 1, SILENT);
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
            case "router" -> builder.router("round-robin").build();
            default -> builder.build();
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain", "depth", "drafts", "lock-step", "pressure", "pause", "router"})
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

    /** A decision that the record does not know, because the run was killed, is no difference. */
    @ParameterizedTest
    @ValueSource(doubles = {0.3, 0.5, 0.8, 0.99})
    void shouldReproduceARunThatWasKilled(final double share)
    {
        final SchedulerConfig config = configOf("pressure");
        final WhatIfReport report =
            ask(record(config, SimulationConfig.DEFAULT, workload(0)).cutAt(share), config, new Variant("turns",
                config.toBuilder().router("round-robin").build()));

        final WhatIfReport.Decisions decisions = report.unchanged().decisions();
        assertTrue(decisions.unfinished() > 0, "the run was not cut");
        assertEquals(0, decisions.different(), decisions.list().toString());
        assertTrue(decisions.placements().total() > 0);
        assertEquals(0, report.unchanged().requests().onlyAfter());
        assertEquals(List.of(decisions.unfinished() + (decisions.unfinished() == 1 ? " request" : " requests") +
            " had not ended when the journal did: re-run to the token limit, and compared as far as the record goes"),
            report.notRepeated());
        assertEquals(0, report.variants().get(0).decisions().unfinished());
        assertTrue(report.variants().get(0).decisions().different() > 0);
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
    void shouldSayWhatPlacementsGaveAway()
    {
        final WhatIfReport report = ask(record(CONFIG, SimulationConfig.DEFAULT, workload(0)), CONFIG,
            new Variant("turns", CONFIG.toBuilder().router("round-robin").build()), new Variant("same", CONFIG));

        final WhatIfReport.Regret unchanged = report.unchanged().regret();
        final WhatIfReport.Regret turns = report.variants().get(0).regret();
        assertEquals(0, unchanged.notLowest());
        assertEquals(0.0, unchanged.score());
        assertEquals(unchanged, report.variants().get(1).regret());
        assertTrue(unchanged.lessCached() > 0, unchanged.toString());
        assertTrue(unchanged.tokens() >= CONFIG.blockSizeTokens() * unchanged.lessCached(), unchanged.toString());
        // A router that ignores caches loses more cached tokens; its own tables have no matches.
        assertTrue(turns.lessCached() > 2 * unchanged.lessCached(), turns.toString());
        assertTrue(turns.tokens() >= CONFIG.blockSizeTokens() * turns.lessCached(), turns.toString());
        assertEquals(turns.hindsight().count(), unchanged.hindsight().count());
        assertEquals(0, Math.min(turns.hindsight().minNanos(), unchanged.hindsight().minNanos()));
        // Each request has its shortest latency in one of the two different runs, or in both.
        assertTrue(turns.best() + unchanged.best() >= turns.hindsight().count());
        assertTrue(turns.best() < turns.hindsight().count());
        assertEquals(turns.hindsight().count(), report.variants().get(0).requests().compared());
        assertEquals((turns.hindsight().meanNanos() - unchanged.hindsight().meanNanos()),
            report.variants().get(0).latency().e2e().meanNanos(), 1.0);
    }

    /** If blocks without an owner are not cached, the events do not say how long a block can be found. */
    @Test
    void shouldNotGiveAFigureForMatchesThatAreNotKnown()
    {
        final SchedulerConfig refZero =
            CONFIG.toBuilder().router("round-robin").evictionPolicy(EvictionPolicy.REF_ZERO).build();
        final WhatIfReport.Regret regret =
            ask(record(refZero, SimulationConfig.DEFAULT, workload(0)), refZero).unchanged().regret();
        assertEquals(FoldedMatches.NOT_RECORDED, regret.lessCached());
        assertEquals(FoldedMatches.NOT_RECORDED, regret.tokens());
    }

    /** The first seed has the recorded arrivals; differences are of runs with the same arrivals. */
    @Test
    void shouldGiveIntervalsOverSeeds()
    {
        final MemoryGroups groups = record(CONFIG, SimulationConfig.DEFAULT, workload(0));
        final WhatIfReport report = WhatIf.read(
            groups.cursor(), CONFIG, Beginning.OF_RUN, null, ServiceLevel.of("ttft=50ms,e2e=5s"), null).ask(List.of(
            new Variant("turns", CONFIG.toBuilder().router("round-robin").build()), new Variant("same", CONFIG)),
            2, 10, 3, SILENT);

        assertReproduced(report);
        final Map<RunFigure, Estimate> turns = report.variants().get(0).seeds();
        assertEquals(List.of(RunFigure.values()), List.copyOf(turns.keySet()));
        assertTrue(turns.get(RunFigure.TOKEN_HIT_RATE).mean() < 0, turns.toString());
        assertTrue(turns.get(RunFigure.TTFT_P50).halfWidth() > 0, "every seed has the same arrivals: " + turns);
        report.variants().get(1).seeds().forEach((figure, difference) ->
            assertEquals(new Estimate(0.0, 0.0), difference, figure.key()));
        assertEquals(Map.of(), report.unchanged().seeds());
        assertEquals(Map.of(), ask(groups, CONFIG, new Variant("one seed", CONFIG)).variants().get(0).seeds());
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

        assertEquals(question.ask(variants, 1, 1000, 2, SILENT), question.ask(variants, 3, 1000, 2, SILENT));
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
    void shouldNameAGroupThatCannotBeDecoded()
    {
        final MemoryGroups groups = record(CONFIG, SimulationConfig.DEFAULT, workload(0)).withBroken(17);
        assertEquals("group 18 cannot be decoded", assertThrows(
            IllegalStateException.class, () -> WhatIf.read(groups.cursor(), CONFIG)).getMessage());
    }

    @Test
    void shouldRefuseTwoVariantsOfOneName()
    {
        final WhatIf question = WhatIf.read(record(CONFIG, SimulationConfig.DEFAULT, workload(0)).cursor(), CONFIG);
        assertEquals("two variants are called 'a'; give each its own name.", assertThrows(ConfigException.class,
            () -> question.ask(List.of(new Variant("a", CONFIG), new Variant("a", CONFIG)), 1, 1, 1, SILENT)).getMessage());
        assertThrows(ConfigException.class, () -> question.ask(List.of(new Variant("unchanged", CONFIG)), 1, 1, 1, SILENT));
    }
}
