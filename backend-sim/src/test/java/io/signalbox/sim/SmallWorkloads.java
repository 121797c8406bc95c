// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.workload.Arrivals;
import io.signalbox.workload.Cancellations;
import io.signalbox.workload.GeneratedWorkload;
import io.signalbox.workload.GeneratedWorkloadConfig;
import io.signalbox.workload.SizeDistribution;
import io.signalbox.workload.Workload;
import io.signalbox.workload.WorkloadRequest;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.Tuple;

import java.util.ArrayList;
import java.util.List;

/** Workloads of some ten requests: drawn from a seed, or as lists for properties. */
final class SmallWorkloads
{
    private static final int MOST_REQUESTS = 60;
    private static final int MOST_PROMPT_TOKENS = 1400;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private SmallWorkloads()
    {
    }

    /**
     * One request.
     *
     * @param gapMillis    to the arrival before, or think time after the predecessor.
     * @param after        0: it arrives at a time; else the number of the predecessor, counted round.
     * @param cancelMillis 0: its client never gives up.
     */
    private record Ask(int gapMillis, int after, int conversation, int prompt, int output, int cancelMillis)
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
    static Arbitrary<List<WorkloadRequest>> lists()
    {
        return Combinators.combine(upTo(100), Arbitraries.frequencyOf(
            Tuple.of(2, Arbitraries.just(0)), Tuple.of(1, upTo(MOST_REQUESTS))), upTo(8),
            upTo(MOST_PROMPT_TOKENS - 1).map(tokens -> tokens + 1), upTo(60),
            Arbitraries.frequencyOf(Tuple.of(4, Arbitraries.just(0)), Tuple.of(1, upTo(500)))).as(Ask::new)
            .list().ofMinSize(1).ofMaxSize(MOST_REQUESTS).withSizeDistribution(RandomDistribution.uniform())
            .map(SmallWorkloads::requests);
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

    /** Eight conversations of a few turns. */
    static Workload generated(final long seed, final int cancelPercent)
    {
        return new Cancellations(cancelPercent / 100.0, 500_000_000L, seed).applyTo(GeneratedWorkload.of(
            GeneratedWorkloadConfig.builder()
                .seed(seed)
                .conversations(8)
                .arrivals(new Arrivals.Bursty(100.0, 3.0))
                .systemPromptTokens(64)
                .userTokens(new SizeDistribution.Lognormal(60.0, 1.0, 1, 400))
                .outputTokens(new SizeDistribution.Zipf(0.5, 1, 40))
                .meanThinkTimeNanos(100_000_000L)
                .maxContextTokens(1200)
                .build()));
    }
}
