// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.engine.SteppedEngine;
import io.signalbox.engine.ThreadedEngine;
import io.signalbox.experts.ModelShape;
import io.signalbox.report.RunReport;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.workload.Arrivals;
import io.signalbox.workload.Cancellations;
import io.signalbox.workload.GeneratedWorkload;
import io.signalbox.workload.GeneratedWorkloadConfig;
import io.signalbox.workload.SizeDistribution;
import io.signalbox.workload.Workload;
import io.signalbox.workload.WorkloadRequest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static io.signalbox.sim.ListWorkload.arriving;
import static io.signalbox.sim.ListWorkload.following;
import static io.signalbox.sim.ListWorkload.waiting;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("threads")
class SimulationTest
{
    /** A prefill token costs 10 ns, a decode entry 100 ns, a step 1,000 ns; nothing else takes time. */
    private static final SimulationConfig EXACT = SimulationConfig.DEFAULT
        .withStepCost(new StepCost(1000, 10, 100, 0)).withD2hDelay(new D2hDelay(0, 0, 0));
    private static final SchedulerConfig ONE_RANK = SchedulerConfig.builder().ranks(1).kvBlocks(101).build();

    private final RecordingJournal journal = new RecordingJournal();

    private RunReport run(final SchedulerConfig config, final SimulationConfig simulation, final Workload workload)
    {
        return new Simulation(config, simulation, workload).run(SteppedEngine::new, journal, SimulationProgress.NONE);
    }

    private static Workload generated(final long seed)
    {
        return new Cancellations(0.1, 2_000_000_000L, seed).applyTo(GeneratedWorkload.of(
            GeneratedWorkloadConfig.builder()
                .seed(seed).conversations(12).outputTokens(new SizeDistribution.Zipf(0.5, 1, 60)).build()));
    }

    private static long checksum(final EngineFactory engines, final long simulationSeed, final long workloadSeed)
    {
        return checksum(engines, simulationSeed, workloadSeed, false);
    }

    private static long checksum(
        final EngineFactory engines, final long simulationSeed, final long workloadSeed, final boolean lockStep)
    {
        final RecordingJournal record = new RecordingJournal();
        final SchedulerConfig config =
            SchedulerConfig.builder().ranks(4).kvBlocks(300).lockStep(lockStep).capture(new ModelShape(4, 64, 2)).build();
        new Simulation(config, SimulationConfig.DEFAULT.withSeed(simulationSeed), generated(workloadSeed))
            .run(engines, record, SimulationProgress.NONE);
        assertTrue(record.closed);
        return record.checksum();
    }

    @Test
    void shouldTakeOneRequestThroughItsLife()
    {
        run(ONE_RANK, EXACT, ListWorkload.of(arriving(1, 100, 40, 3)));
        assertEquals(List.of(
            "100 submit 1", "100 wake",
            "100 forward 0", "1500 complete 0",
            "1500 forward 0", "2600 complete 0",
            "2600 forward 0", "3700 complete 0"), journal.inputs);
        assertTrue(journal.closed);
    }

    @Test
    void shouldSubmitInWorkloadOrderAndNeverGoBackInTime()
    {
        run(ONE_RANK, EXACT, ListWorkload.of(
            arriving(1, 700, 40, 2), arriving(2, 0, 40, 30), following(3, 1, 0), arriving(4, 700, 16, 1)));
        final int first = journal.inputs.indexOf("700 submit 1");
        assertEquals("700 submit 4", journal.inputs.get(first + 1));
        for (int i = 1; i < journal.times.size(); i++)
        {
            assertTrue(journal.times.get(i) >= journal.times.get(i - 1));
        }
    }

    @Test
    void shouldWakeOncePerInstantAndOnlyForAnIdleRank()
    {
        run(ONE_RANK, EXACT, ListWorkload.of(
            arriving(1, 0, 16, 2), arriving(2, 0, 16, 1), arriving(3, 500, 16, 1)));
        assertEquals(List.of("0 submit 1", "0 submit 2", "0 wake", "0 forward 0", "500 submit 3"),
            journal.inputs.subList(0, 5));
        assertEquals(1, journal.inputs.stream().filter(input -> input.endsWith("wake")).count());
    }

    @Test
    void shouldCancelBeforeItSubmitsAndReleaseRowsBeforeThat()
    {
        final SchedulerConfig config =
            SchedulerConfig.builder().ranks(2).kvBlocks(101).capture(new ModelShape(1, 4, 1)).build();
        // Request 1 completes at 1,160; request 2 is cancelled, and request 3 arrives, at the same instant.
        run(config, EXACT, ListWorkload.of(
            arriving(1, 0, 16, 1), arriving(2, 0, 160, 9).cancelledAfter(1160), arriving(3, 1160, 16, 1)));
        final int completion = journal.inputs.indexOf("1160 complete 1");
        assertEquals(List.of("1160 RELEASE_ROWS 1", "1160 cancel 2", "1160 submit 3", "1160 wake", "1160 forward 1"),
            journal.inputs.subList(completion + 1, completion + 6));
    }

    @Test
    void shouldSubmitAFollowUpItsThinkTimeAfterThePredecessorEnded()
    {
        run(ONE_RANK, EXACT, ListWorkload.of(arriving(1, 100, 40, 3), following(2, 1, 777), following(3, 2, 0)));
        assertTrue(journal.inputs.contains((3700 + 777) + " submit 2"), journal.inputs.toString());
        final int third = journal.inputs.indexOf(journal.inputs.stream()
            .filter(input -> input.endsWith("submit 3")).findFirst().orElseThrow());
        assertEquals(journal.times.get(third - 1), journal.times.get(third));
        assertTrue(journal.inputs.get(third - 1).endsWith("complete 0"));
    }

    @Test
    void shouldNeverSubmitWhatFollowsACancelledOrRefusedRequest()
    {
        final List<String> progress = new ArrayList<>();
        final Workload workload = ListWorkload.of(
            arriving(1, 0, 40, 20).cancelledAfter(2000), following(2, 1, 5), following(3, 2, 5),
            arriving(4, 10, 100_000, 1), following(5, 4, 5), arriving(6, 0, 16, 1));
        final RunReport report = new Simulation(ONE_RANK, EXACT, workload).run(
            SteppedEngine::new, journal, (ended, total, nanos) -> progress.add(ended + "/" + total));
        assertEquals(List.of(1L, 6L, 4L), journal.submitted);
        assertEquals(new RunReport.Requests(3, 1, 1, 0, 0, 0, 1, 0, null, null), report.requests());
        // The refusal is noticed with the next input that the driver waits for; five of six are settled by then.
        assertEquals("6/6", progress.get(progress.size() - 1));
        assertEquals(3, progress.size());
    }

    @Test
    void shouldStartWhatWaitsForAClientWhenAllThatOneAskedForHasEnded()
    {
        // Two clients: 1 with 2 and 3, and 4, which is refused. 5 and 7 wait for a client, 6 follows 5.
        final Workload workload = ListWorkload.of(
            arriving(1, 0, 16, 1), following(2, 1, 5000), following(3, 1, 9000),
            arriving(4, 10, 100_000, 1), waiting(5, 70), following(6, 5, 0), waiting(7, 0), waiting(8, 0));
        run(ONE_RANK, EXACT, workload);
        final List<String> submits = journal.inputs.stream().filter(input -> input.contains("submit")).toList();
        assertEquals("10 submit 4", submits.get(1));
        // The refusal is noticed when request 1 completes, and sets the client free that starts 5.
        assertEquals("1160 complete 0",
            journal.inputs.stream().filter(input -> input.contains("complete")).findFirst().orElseThrow());
        assertEquals("1230 submit 5", submits.get(2));
        assertEquals(List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L), journal.submitted.stream().sorted().toList());
        assertTrue(position("submit 7") > position("submit 6"));
        assertTrue(position("submit 8") > position("submit 7"));
    }

    @Test
    void shouldKeepAsManyConversationsGoingAsThereAreClients()
    {
        final Workload workload = GeneratedWorkload.of(GeneratedWorkloadConfig.builder()
            .conversations(20).clients(3).arrivals(new Arrivals.Poisson(1e8))
            .outputTokens(new SizeDistribution.Zipf(0.5, 1, 60)).meanThinkTimeNanos(0).build());
        run(SchedulerConfig.builder().ranks(2).kvBlocks(2049).build(), EXACT, workload);
        assertEquals(workload.requests().size(), journal.ended.size());
        // Without pauses every client has one request under way, until no conversation is left to start.
        final long last = workload.requests().stream().filter(request -> request.predecessorId() < 0)
            .mapToLong(WorkloadRequest::requestId).max().orElseThrow();
        int most = 0;
        for (int i = 0; i <= position("submit " + last); i++)
        {
            final int at = i;
            final long submits = journal.inputs.stream().limit(at + 1L).filter(input -> input.contains("submit")).count();
            most = Math.max(most, (int)(submits - journal.endedBy(at)));
        }
        assertEquals(3, most);
    }

    private int position(final String input)
    {
        for (int i = 0; i < journal.inputs.size(); i++)
        {
            if (journal.inputs.get(i).endsWith(input))
            {
                return i;
            }
        }
        throw new AssertionError("no " + input);
    }

    @Test
    void shouldStartWhatWaitsForAClientAfterAnAbandonedConversation()
    {
        run(ONE_RANK, EXACT, ListWorkload.of(
            arriving(1, 0, 40, 20).cancelledAfter(2000), following(2, 1, 5), following(3, 2, 5), waiting(4, 7)));
        assertEquals(List.of(1L, 4L), journal.submitted);
    }

    @Test
    void shouldNotCancelWhatHasEnded()
    {
        run(ONE_RANK, EXACT, ListWorkload.of(
            arriving(1, 0, 16, 1).cancelledAfter(1160), arriving(2, 5000, 100_000, 1).cancelledAfter(10)));
        assertEquals(0, journal.inputs.stream().filter(input -> input.contains("cancel")).count());
        assertEquals(List.of(1L, 2L), journal.ended);
    }

    @Test
    void shouldNotCountTheReadmissionOfAPreemptedRequestAsAPrefixHit()
    {
        // Two requests that together outgrow ten blocks; both prompts have the same beginning.
        final RunReport report = run(SchedulerConfig.builder().ranks(1).kvBlocks(11).build(), EXACT,
            ListWorkload.of(arriving(1, 0, 80, 60), arriving(2, 0, 79, 60)));
        assertTrue(report.steps().preemptions() > 0);
        assertEquals(journal.preempted, report.steps().preemptions());
        assertEquals(2, report.requests().completed());
        assertEquals(120, report.throughput().outputTokens());
        assertEquals(159, report.prefixCache().promptTokens());
        assertEquals(0, report.prefixCache().matchedTokens());
        assertEquals(1.0, report.blockOccupancy().get(0).peak());
    }

    @Test
    void shouldGiveTheSameGroupsForTheSameSeedsOnly()
    {
        final long first = checksum(SteppedEngine::new, 1, 1);
        assertEquals(first, checksum(SteppedEngine::new, 1, 1));
        assertNotEquals(first, checksum(SteppedEngine::new, 2, 1));
        assertNotEquals(first, checksum(SteppedEngine::new, 1, 2));
    }

    @Test
    void shouldGiveTheSameGroupsWithThreadsAsWithout()
    {
        final long stepped = checksum(SteppedEngine::new, 1, 1);
        assertEquals(stepped, checksum(ThreadedEngine::new, 1, 1));
        assertEquals(stepped, checksum(
            context -> new ThreadedEngine(context.ingressSlots(8).trackSlots(8)), 1, 1));
    }

    @Test
    void shouldGiveTheSameGroupsInLockStepWithThreadsAsWithout()
    {
        final long stepped = checksum(SteppedEngine::new, 1, 1, true);
        assertEquals(stepped, checksum(SteppedEngine::new, 1, 1, true));
        assertEquals(stepped, checksum(ThreadedEngine::new, 1, 1, true));
        assertEquals(stepped, checksum(
            context -> new ThreadedEngine(context.ingressSlots(8).trackSlots(8)), 1, 1, true));
        assertNotEquals(stepped, checksum(SteppedEngine::new, 1, 1, false));
        assertNotEquals(stepped, checksum(SteppedEngine::new, 2, 1, true));
    }

    @Test
    void shouldLetARankWithoutWorkStepAlong()
    {
        run(SchedulerConfig.builder().ranks(2).kvBlocks(101).lockStep(true).build(), EXACT,
            ListWorkload.of(arriving(1, 100, 40, 2), arriving(2, 300, 16, 1)));
        assertEquals(List.of(
            "100 submit 1", "100 wake", "100 forward 0", "100 forward 1", "300 submit 2",
            "1500 complete 0", "1500 complete 1", "1500 forward 0", "1500 forward 1",
            "2660 complete 0", "2660 complete 1"), journal.inputs);
    }

    @Test
    void shouldDescribeTheWholeRunInSortedSettings()
    {
        final Map<String, String> settings = new Simulation(ONE_RANK, EXACT, generated(3)).settings();
        assertEquals(settings.keySet().stream().sorted().toList(), List.copyOf(settings.keySet()));
        assertEquals("1", settings.get("scheduler.ranks"));
        assertEquals("1000", settings.get("sim.stepCost.baseNanos"));
        assertEquals("generated", settings.get("workload.kind"));
        assertEquals("0.1", settings.get("workload.cancelFraction"));
    }
}
