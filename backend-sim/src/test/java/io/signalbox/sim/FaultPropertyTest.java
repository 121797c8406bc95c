// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.workload.WorkloadRequest;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Runs with lists of requests and of faults, which shrink to the few that matter. */
class FaultPropertyTest
{
    private static final List<String> KINDS = List.of("late 1ms", "late 30ms", "late 400ms", "reordered", "duplicated",
        "dropped", "failed", "failed ECC error", "lost", "lost back-after 1us", "lost back-after 300ms",
        "lost back-after never", "corrupt expert-range", "corrupt expert-repeated", "corrupt row-count",
        "corrupt row-bytes", "corrupt token-negative", "corrupt token-range", "corrupt token-count", "corrupt wrong-step",
        "corrupt wrong-epoch", "corrupt wrong-rank");

    @Provide
    Arbitrary<List<WorkloadRequest>> requests()
    {
        return SmallWorkloads.lists();
    }

    @Provide
    Arbitrary<List<String>> faults()
    {
        final Arbitrary<String> rank = Arbitraries.frequencyOf(Tuple.of(4,
            Arbitraries.integers().between(0, 3).map(String::valueOf)), Tuple.of(1, Arbitraries.just("*")));
        final Arbitrary<Integer> step = Arbitraries.integers().between(1, 60);
        final Arbitrary<Integer> more = Arbitraries.integers().between(0, 6);
        return Combinators.combine(rank, step, more, Arbitraries.of(KINDS))
            .as((ranks, first, length, kind) -> "rank " + ranks + " step " + first + ".." + (first + length) + " " + kind)
            .list().ofMaxSize(12);
    }

    @Property(tries = 150, edgeCases = EdgeCasesMode.NONE)
    void shouldEndEveryRequestOnceAndWithTheTokensOfARunWithoutFaults(
        @ForAll final long seed,
        @ForAll("requests") final List<WorkloadRequest> requests,
        @ForAll("faults") final List<String> faults,
        @ForAll @IntRange(min = 100, max = 300) final int kvBlocks,
        @ForAll final boolean lockStep,
        @ForAll final boolean kvKept,
        @ForAll @IntRange(max = 3) final int settings)
    {
        final SchedulerConfig config = SchedulerConfig.builder().ranks(4).kvBlocks(kvBlocks).stepTokens(256)
            .lockStep(lockStep).capture(new ModelShape(3, 16, 2)).backOffNanos(settings == 0 ? 0 : 1_000_000).build();
        final FaultPlan plan = FaultPlan.parse(String.join("\n", faults) + "\nlate=0.001\nstep-timeout=" +
            (settings == 1 ? "150ms" : "2s") + "\nback-after=" + (settings == 2 ? "5ms" : "700ms") +
            "\nkv=" + (kvKept ? "kept" : "lost"));
        final FaultyRun run = FaultyRun.of(
            config, SimulationConfig.DEFAULT.withSeed(seed).withFaults(plan), new ListWorkload(requests));

        assertEquals(List.of(), run.findings);
    }
}
