// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.engine.SteppedEngine;
import io.signalbox.experts.ModelShape;
import io.signalbox.report.RunReport;
import io.signalbox.report.RunReport.RankOccupancy;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.workload.WorkloadRequest;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** 60 runs of up to 60 requests in every build. */
class SimulationPropertyTest
{
    @Provide
    Arbitrary<List<WorkloadRequest>> requests()
    {
        return SmallWorkloads.lists();
    }

    /** A trace may begin at any time, such as a Unix time, and its first line need not have the first arrival. */
    @Property(tries = 20)
    void shouldReportTheSameRunWhateverTimeItBeginsWith(
        @ForAll final long seed,
        @ForAll("requests") final List<WorkloadRequest> requests,
        @ForAll @LongRange(max = 1L << 61) final long delayNanos)
    {
        final List<WorkloadRequest> later = requests.stream().map(request ->
            request.arrivalNanos() < 0 ? request : request.arrivingAt(request.arrivalNanos() + delayNanos)).toList();
        assertEquals(report(seed, requests), report(seed, later));
    }

    private static RunReport report(final long seed, final List<WorkloadRequest> requests)
    {
        final SchedulerConfig config = SchedulerConfig.builder().ranks(2).kvBlocks(200).stepTokens(256).build();
        return new Simulation(config, SimulationConfig.DEFAULT.withSeed(seed), new ListWorkload(requests)).run();
    }

    @Property(tries = 60)
    void shouldEndWhateverIsSubmittedExactlyOnce(
        @ForAll final long seed,
        @ForAll("requests") final List<WorkloadRequest> asked,
        @ForAll @IntRange(min = 1, max = 5) final int ranks,
        @ForAll @IntRange(min = 100, max = 400) final int kvBlocks,
        @ForAll final boolean capture,
        @ForAll final boolean kvAware,
        @ForAll final boolean lockStep)
    {
        final SchedulerConfig config = SchedulerConfig.builder()
            .ranks(ranks)
            .kvBlocks(kvBlocks)
            .stepTokens(256)
            .router(kvAware ? "kv-aware" : "default")
            .lockStep(lockStep)
            .capture(capture ? new ModelShape(3, 16, 2) : null)
            .build();
        final RecordingJournal journal = new RecordingJournal();
        final RunReport report = new Simulation(config, SimulationConfig.DEFAULT.withSeed(seed), new ListWorkload(asked))
            .run(SteppedEngine::new, journal, SimulationProgress.NONE);

        final List<Long> submitted = journal.submitted.stream().sorted().toList();
        assertEquals(submitted, submitted.stream().distinct().toList());
        assertEquals(submitted, journal.ended.stream().sorted().toList());
        final RunReport.Requests requests = report.requests();
        assertEquals(submitted.size(), requests.submitted());
        assertEquals(requests.submitted(), requests.completed() + requests.cancelled() + requests.refused());
        assertEquals(0, requests.unfinished());
        if (requests.cancelled() + requests.refused() == 0)
        {
            assertEquals(asked.size(), requests.completed());
        }
        assertEquals(journal.preempted, report.steps().preemptions());
        assertEquals(journal.evicted, report.steps().evictions());
        assertEquals(0, report.routedExperts().missing());
        for (final RankOccupancy occupancy : report.blockOccupancy())
        {
            assertTrue(occupancy.mean() >= 0.0 && occupancy.mean() <= occupancy.peak() && occupancy.peak() <= 1.0);
        }
    }
}
