// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.SchedulerConfig;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

import java.util.List;

/**
 * Arbitraries of jqwik for properties of schedulers and routers: pools, workloads, orders of completions, faults, and plays
 * that combine them. All shrink. A property can also take {@code @ForAll SchedulerConfig} and {@code @ForAll HarnessPlay}.
 */
public final class HarnessArbitraries
{
    private static final int LONGEST_PROMPT = 60;
    private static final int MOST_GENERATED = 12;
    private static final int MOST_REQUESTS = 12;
    private static final int MOST_ACTS = 80;
    private static final int MOST_CHOICES = 24;
    private static final int SPARE_BLOCKS = 30;

    private HarnessArbitraries()
    {
    }

    /** Small configurations: every request of {@link #workloads} fits into a pool alone, and few fit together. */
    public static Arbitrary<SchedulerConfig> pools()
    {
        final Arbitrary<Tuple.Tuple3<Integer, Integer, Integer>> sizes = Combinators.combine(
            Arbitraries.of(4, 8, 16), Arbitraries.integers().between(0, SPARE_BLOCKS),
            Arbitraries.integers().between(1, 4)).as(Tuple::of);
        final Arbitrary<Tuple.Tuple2<Boolean, Boolean>> sharing = Combinators.combine(
            Arbitraries.of(true, false), Arbitraries.of(true, false)).as(Tuple::of);
        return Combinators.combine(sizes, sharing, Arbitraries.integers().between(16, 64),
            Arbitraries.integers().between(1, SchedulerConfig.MAX_DEPTH),
            Arbitraries.of(new ModelShape(3, 16, 2), new ModelShape(2, 300, 4),
                new ModelShape(3, 16, 2).withCombineWeights(true))).as(HarnessArbitraries::pool)
            .withoutEdgeCases();
    }

    private static SchedulerConfig pool(
        final Tuple.Tuple3<Integer, Integer, Integer> sizes,
        final Tuple.Tuple2<Boolean, Boolean> sharing,
        final int stepTokens,
        final int depth,
        final ModelShape shape)
    {
        final int blockSize = sizes.get1();
        final int largest = (LONGEST_PROMPT + MOST_GENERATED + blockSize - 1) / blockSize;
        final boolean caching = sharing.get1();
        return SchedulerConfig.builder().ranks(sizes.get3()).blockSizeTokens(blockSize)
            .kvBlocks(1 + largest + sizes.get2()).stepTokens(stepTokens).depth(depth).capture(shape)
            .prefixCaching(caching).sameStepSharing(caching && sharing.get2()).backOffNanos(0).build();
    }

    /** Up to 12 requests, some of which begin like an earlier one. */
    public static Arbitrary<List<PlannedRequest>> workloads()
    {
        return Combinators.combine(
            Arbitraries.integers().between(1, LONGEST_PROMPT), Arbitraries.integers().between(0, MOST_REQUESTS),
            Arbitraries.integers().between(0, LONGEST_PROMPT), Arbitraries.integers().between(1, MOST_GENERATED),
            Arbitraries.integers().between(0, 2))
            .as(PlannedRequest::new).list().ofMinSize(1).ofMaxSize(MOST_REQUESTS);
    }

    /** Orders in which requests come and steps launch and complete. */
    public static Arbitrary<List<HarnessAct>> completions()
    {
        return Arbitraries.oneOf(sound()).list().ofMaxSize(MOST_ACTS);
    }

    private static List<Arbitrary<HarnessAct>> sound()
    {
        return List.of(act(HarnessAct.Kind.SUBMIT), act(HarnessAct.Kind.LAUNCH), act(HarnessAct.Kind.COMPLETE));
    }

    /** Single faults and interruptions: steps that fail, lost ranks, cancels, resets of the cache, new weights. */
    public static Arbitrary<HarnessAct> faults()
    {
        return Arbitraries.oneOf(act(HarnessAct.Kind.FAIL), act(HarnessAct.Kind.LOSE), act(HarnessAct.Kind.CANCEL),
            act(HarnessAct.Kind.RESET_CACHE), act(HarnessAct.Kind.NEW_WEIGHTS));
    }

    private static Arbitrary<HarnessAct> act(final HarnessAct.Kind kind)
    {
        return Arbitraries.integers().between(0, MOST_CHOICES).map(choice -> new HarnessAct(kind, choice));
    }

    /** Workloads whose steps complete in any order; about one act in seven is a fault. */
    public static Arbitrary<HarnessPlay> plays()
    {
        final Arbitrary<HarnessAct> acts = Arbitraries.frequencyOf(
            Tuple.of(6, Arbitraries.oneOf(sound())), Tuple.of(1, faults()));
        return Combinators.combine(workloads(), acts.list().ofMaxSize(MOST_ACTS)).as(HarnessPlay::new)
            .withoutEdgeCases();
    }
}
