// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.engine.SteppedEngine;
import io.signalbox.experts.ModelShape;
import io.signalbox.report.RunReport;
import io.signalbox.report.RunReport.RankOccupancy;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.workload.WorkloadRequest;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** 60 runs of up to 60 requests in every build. */
class SimulationPropertyTest
{
    private static final int MOST_REQUESTS = 60;
    private static final int MOST_PROMPT_TOKENS = 1400;
    private static final long NANOS_PER_MILLI = 1_000_000;

    /**
     * One request.
     *
     * @param gapMillis    to the arrival before, or think time after the predecessor.
     * @param after        0: it arrives at a time; else the number of the predecessor, counted round.
     * @param cancelMillis 0: its client never gives up.
     */
    record Ask(int gapMillis, int after, int conversation, int prompt, int output, int cancelMillis)
    {
        private WorkloadRequest request(final int id, final long arrivalNanos)
        {
            final WorkloadRequest request = after == 0 || id == 1 ?
                WorkloadRequest.arriving(id, arrivalNanos, prompt, output) :
                WorkloadRequest.following(id, 1 + after % (id - 1), gapMillis * NANOS_PER_MILLI, prompt, output);
            final WorkloadRequest turn = request.ofConversation(conversation);
            return cancelMillis == 0 ? turn : turn.cancelledAfter(cancelMillis * NANOS_PER_MILLI);
        }
    }

    /** Shrinks to few small requests that arrive at once. */
    @Provide
    Arbitrary<List<WorkloadRequest>> requests()
    {
        return Combinators.combine(upTo(100), Arbitraries.frequencyOf(
            Tuple.of(2, Arbitraries.just(0)), Tuple.of(1, upTo(MOST_REQUESTS))), upTo(8),
            upTo(MOST_PROMPT_TOKENS - 1).map(tokens -> tokens + 1), upTo(60),
            Arbitraries.frequencyOf(Tuple.of(4, Arbitraries.just(0)), Tuple.of(1, upTo(500)))).as(Ask::new)
            .list().ofMinSize(1).ofMaxSize(MOST_REQUESTS).withSizeDistribution(RandomDistribution.uniform())
            .map(SimulationPropertyTest::requests);
    }

    private static Arbitrary<Integer> upTo(final int most)
    {
        return Arbitraries.integers().between(0, most).withDistribution(RandomDistribution.uniform());
    }

    private static List<WorkloadRequest> requests(final List<Ask> asks)
    {
        final List<WorkloadRequest> requests = new ArrayList<>();
        long nanos = 0;
        for (final Ask ask : asks)
        {
            nanos += ask.gapMillis() * NANOS_PER_MILLI;
            requests.add(ask.request(requests.size() + 1, nanos));
        }
        return requests;
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
