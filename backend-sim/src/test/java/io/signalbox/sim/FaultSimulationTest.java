// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.ConfigException;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.engine.ThreadedEngine;
import io.signalbox.experts.ModelShape;
import io.signalbox.report.RunReport;
import io.signalbox.report.RunReport.RankDowntime;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.workload.Workload;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;
import java.util.Map;

import static io.signalbox.sim.ListWorkload.arriving;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Whole runs in which ranks misbehave. */
@Tag("threads")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FaultSimulationTest
{
    /** A step takes 1,000 ns. */
    private static final SimulationConfig EXACT = SimulationConfig.DEFAULT
        .withStepCost(new StepCost(1000, 0, 0, 0)).withD2hDelay(new D2hDelay(0, 0, 0));
    private static final SchedulerConfig TWO_RANKS =
        SchedulerConfig.builder().ranks(2).kvBlocks(101).backOffNanos(500).build();
    private static final ListWorkload TWO = ListWorkload.of(arriving(1, 0, 40, 3), arriving(2, 0, 40, 3));

    private final RecordingJournal journal = new RecordingJournal();

    private RunReport run(final SchedulerConfig config, final Workload workload, final String faults)
    {
        return new Simulation(config, EXACT.withFaults(FaultPlan.parse(faults)), workload)
            .run(SteppedEngine::new, journal, SimulationProgress.NONE);
    }

    private List<String> inputs()
    {
        return journal.inputs.stream().filter(input -> !input.contains("forward") && !input.contains("submit")).toList();
    }

    @Test
    void shouldTimeOutADroppedStepAndBringTheRankBack()
    {
        final RunReport report = run(TWO_RANKS, TWO, "rank 1 step 1 dropped; step-timeout=2500ns, back-after=1us");

        assertEquals(List.of("0 wake", "1000 complete 0", "2000 complete 0", "2500 timeout 1", "3000 complete 0",
            "3500 reset, KV memory kept: NO", "4000 complete 0", "5000 complete 0", "6000 complete 0"), inputs());
        assertEquals(new RunReport.Faults(Map.of("dropped", 1L), 0, 0, 1, 0, 0, 1, 1, 0, 0,
            List.of(new RankDowntime(1, 1, 1000))), report.faults());
        assertEquals(2, report.requests().completed());
    }

    @Test
    void shouldLetARankThatFailsTwiceRest()
    {
        final RunReport report = run(SchedulerConfig.builder().ranks(1).kvBlocks(101).backOffNanos(500).build(),
            ListWorkload.of(arriving(1, 0, 40, 2)), "rank 0 step 1..2 failed");

        assertEquals(List.of("0 wake", "1000 STEP_FAILED 0", "2000 STEP_FAILED 0", "2500 tick", "3500 complete 0",
            "4500 complete 0"), inputs());
        assertEquals(Map.of("failed", 2L), report.faults().injected());
        assertEquals(2, report.faults().failedSteps());
        assertEquals(2, report.faults().requeued());
    }

    @Test
    void shouldIgnoreDuplicatesAndReportsOfStepsThatWereGivenUp()
    {
        final RunReport report = run(TWO_RANKS, TWO,
            "rank 0 step 1 duplicated; rank 1 step 1 late 9us; step-timeout=2us, back-after=500ns, kv=kept");

        assertTrue(inputs().contains("1000 STEP_FAILED 0"), inputs().toString());
        assertTrue(inputs().contains("2500 reset, KV memory kept: YES"), inputs().toString());
        assertEquals(2, report.faults().ignoredReports());
        assertEquals(2, report.requests().completed());
        assertEquals(Map.of("duplicated", 1L, "late", 1L), report.faults().injected());
    }

    @Test
    void shouldFailWhatNoRankIsLeftFor()
    {
        final RunReport report = run(TWO_RANKS, ListWorkload.of(arriving(1, 0, 40, 3), arriving(2, 5000, 40, 3)),
            "rank * step 1 lost back-after never; rank 1 step 99 failed");

        assertEquals(1, report.requests().failed());
        assertEquals(1, report.requests().refused());
        assertEquals(1, report.faults().refusedRequests());
        assertEquals(1, report.faults().failedRequests());
        assertEquals(1, report.faults().notReached());
        assertEquals(List.of(new RankDowntime(0, 1, 3000), new RankDowntime(1, 1, 4000)), report.faults().ranks());
    }

    @Test
    void shouldFailRequestsOfARankThatAlwaysFails()
    {
        final RunReport report =
            run(SchedulerConfig.builder().ranks(1).kvBlocks(101).maxFailures(3).build(), TWO, "failed=1");

        assertEquals(2, report.faults().failedRequests());
        // A step with both requests, then three with each alone.
        assertEquals(7, report.faults().failedSteps());
    }

    @Test
    void shouldFailAStepWithAnImpossibleCompletionAndRepeatIt()
    {
        for (final String corruption : List.of("row-count", "row-bytes", "token-negative", "token-range", "token-count"))
        {
            final RunReport report = run(SchedulerConfig.builder().ranks(1).kvBlocks(101).backOffNanos(500)
                .capture(new ModelShape(2, 16, 2)).build(), TWO, "rank 0 step 2 corrupt " + corruption);

            assertEquals(Map.of("corrupt " + corruption, 1L), report.faults().injected());
            assertEquals(1, report.faults().failedSteps(), corruption);
            assertEquals(2, report.faults().requeued(), corruption);
            assertEquals(2, report.requests().completed(), corruption);
            assertEquals(0, report.routedExperts().missing());
        }
    }

    @Test
    void shouldDeclareImpossibleRowsMissing()
    {
        for (final String corruption : List.of("expert-range", "expert-repeated", "weight-not-finite"))
        {
            final ModelShape shape = new ModelShape(2, 16, 2).withCombineWeights(corruption.startsWith("weight"));
            final RunReport report = run(SchedulerConfig.builder().ranks(1).kvBlocks(101).capture(shape).build(), TWO,
                "rank 0 step 2 corrupt " + corruption);

            assertEquals(0, report.faults().failedSteps(), corruption);
            assertEquals(1, report.routedExperts().missing(), corruption);
            assertEquals(2, report.requests().completed(), corruption);
        }
    }

    @Test
    void shouldEndEveryRequestIfReportsNameTheWrongRank()
    {
        for (final String steps : List.of("rank 0 step 1", "rank 0 step 2", "rank 1 step 2", "rank * step 1..3"))
        {
            final RunReport report =
                run(TWO_RANKS, TWO, steps + " corrupt wrong-rank; step-timeout=5us, back-after=300ns");

            assertEquals(2, report.requests().completed(), steps);
        }
    }

    @Test
    void shouldLoseTheRankThatReportsAStepItWasNeverGiven()
    {
        final RunReport report =
            run(TWO_RANKS, TWO, "rank 1 step 1 corrupt wrong-step; back-after=300ns");

        assertEquals(List.of(new RankDowntime(1, 1, 300)), report.faults().ranks());
        assertEquals(2, report.requests().completed());
    }

    @Test
    void shouldGiveTheSameGroupsWithThreadsAsWithoutAndOtherOnesForAnotherSeed()
    {
        final String rates = "late=0.03,reordered=0.03,duplicated=0.03,dropped=0.005,corrupt=0.02,failed=0.03,lost=0.005," +
            "late-by=40ms,step-timeout=700ms,back-after=300ms";
        for (final boolean lockStep : new boolean[] {false, true})
        {
            final long stepped = checksum(lockStep, 1, rates, true);
            assertEquals(stepped, checksum(lockStep, 1, rates, true));
            assertEquals(stepped, checksum(lockStep, 1, rates, false));
            assertFalse(stepped == checksum(lockStep, 1, rates + ",seed=12", true));
        }
    }

    private static long checksum(final boolean lockStep, final long seed, final String faults, final boolean stepped)
    {
        final RecordingJournal recorded = new RecordingJournal();
        final SchedulerConfig config = SchedulerConfig.builder().ranks(3).kvBlocks(200).lockStep(lockStep)
            .capture(new ModelShape(3, 16, 2)).build();
        new Simulation(config, SimulationConfig.DEFAULT.withSeed(seed).withFaults(FaultPlan.parse(faults)),
            SmallWorkloads.generated(seed, 10)).run(context -> stepped ? new SteppedEngine(context) :
                new ThreadedEngine(context.ingressSlots(8).trackSlots(8)), recorded, SimulationProgress.NONE);
        return recorded.checksum();
    }

    @Test
    void shouldDescribeThePlanAndOnlyIfThereIsOne()
    {
        final FaultPlan plan = FaultPlan.parse("rank 1 step 5 failed");
        final Map<String, String> settings = new Simulation(TWO_RANKS, EXACT.withFaults(plan), TWO).settings();

        assertEquals(plan, FaultPlan.parse(settings.get("sim.faults")));
        assertFalse(new Simulation(TWO_RANKS, EXACT, TWO).settings().containsKey("sim.faults"));
        assertNull(new Simulation(TWO_RANKS, EXACT, TWO)
            .run(SteppedEngine::new, null, SimulationProgress.NONE).faults());
    }

    @Test
    void shouldRefuseAPlanThatNamesARankThatIsNotThere()
    {
        final SimulationConfig simulation = EXACT.withFaults(FaultPlan.parse("rank 2 step 1 failed"));

        assertTrue(assertThrows(ConfigException.class, () -> new Simulation(TWO_RANKS, simulation, TWO)).getMessage()
            .contains("names rank 2, but the ranks are 0 to 1"));
    }
}
