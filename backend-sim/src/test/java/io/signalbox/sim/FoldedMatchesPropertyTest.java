// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.engine.SteppedEngine;
import io.signalbox.event.CommitView;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.BackendResetDecoder;
import io.signalbox.event.codec.ControlDecoder;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.NewWeightsDecoder;
import io.signalbox.event.codec.PlacedDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.state.FoldedMatches;
import io.signalbox.state.RunFold;
import io.signalbox.state.RunListener;
import io.signalbox.state.RunRequest;
import io.signalbox.state.RunStep;
import io.signalbox.workload.WorkloadRequest;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.statistics.Statistics;
import org.agrona.collections.LongHashSet;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Matches that are folded from the events of a run are the matches that a router of that run has read. */
class FoldedMatchesPropertyTest
{
    /** Folds a run whose router reads matches, and compares the first placement of each request. */
    private static final class Comparison implements RunListener
    {
        private final FoldedMatches matches;
        private final LongHashSet placed = new LongHashSet();
        private long found;

        private Comparison(final FoldedMatches matches)
        {
            this.matches = matches;
        }

        @Override
        public void onSubmit(final SubmitDecoder submit)
        {
            matches.onSubmit(submit);
        }

        @Override
        public void onAccepted(final RunRequest request)
        {
            matches.onAccepted(request);
        }

        @Override
        public void onPlaced(final RunRequest request, final PlacedDecoder decision)
        {
            final int[] folded = matches.tokens(decision.requestId());
            if (!placed.add(decision.requestId()))
            {
                return;
            }
            for (final PlacedDecoder.CandidatesDecoder candidate : decision.candidates())
            {
                assertEquals(candidate.matchedTokens(), folded[candidate.rank()], "request " + decision.requestId());
                found += candidate.matchedTokens();
            }
        }

        @Override
        public void onStep(final StepView plan)
        {
            matches.onStep(plan);
        }

        @Override
        public void onLanded(final RunStep step, final CommitView commit)
        {
            matches.onLanded(step, commit);
        }

        @Override
        public void onControl(final ControlDecoder control)
        {
            matches.onControl(control);
        }

        @Override
        public void onNewWeights(final NewWeightsDecoder change)
        {
            matches.onNewWeights(change);
        }

        @Override
        public void onReset(final BackendResetDecoder reset)
        {
            matches.onReset(reset);
        }

        @Override
        public void onEnded(final RunRequest request, final FreeDecoder end)
        {
            matches.onEnded(request, end);
        }
    }

    @Provide
    Arbitrary<List<WorkloadRequest>> requests()
    {
        return SmallWorkloads.lists();
    }

    @Provide
    Arbitrary<List<String>> faults()
    {
        return Combinators.combine(Arbitraries.integers().between(0, 3), Arbitraries.integers().between(1, 60),
                Arbitraries.of("late 30ms", "failed", "lost", "lost back-after 1us", "lost back-after 300ms"))
            .as((rank, step, kind) -> "rank " + rank + " step " + step + " " + kind).list().ofMaxSize(6);
    }

    @Property(tries = 100, edgeCases = EdgeCasesMode.NONE)
    void foldedMatchesAreTheRecordedOnes(
        @ForAll final long seed,
        @ForAll("requests") final List<WorkloadRequest> requests,
        @ForAll("faults") final List<String> faults,
        @ForAll @IntRange(min = 1, max = 4) final int ranks,
        @ForAll @IntRange(min = 100, max = 300) final int kvBlocks,
        @ForAll final boolean kvKept,
        @ForAll final boolean newWeights,
        @ForAll final boolean kvAware)
    {
        final SchedulerConfig config = SchedulerConfig.builder().ranks(ranks).kvBlocks(kvBlocks).stepTokens(256)
            .router(kvAware ? "kv-aware" : "signalbox").build();
        final List<String> ofRanks = faults.stream().filter(fault -> fault.charAt(5) - '0' < ranks).toList();
        final FaultPlan plan = FaultPlan.parse(String.join("\n", ofRanks) + "\nlate=0.001\nback-after=5ms\nkv=" +
            (kvKept ? "kept" : "lost"));
        final SimulationConfig simulation = SimulationConfig.DEFAULT.withSeed(seed).withFaults(plan);
        final Comparison comparison = new Comparison(
            FoldedMatches.of(ranks, config.blockSizeTokens(), true));
        final RunFold fold = RunFold.of(comparison);
        new Simulation(config, newWeights ? simulation.withNewWeights(WeightsPlan.parse("continue@400ms")) : simulation,
            new ListWorkload(requests)).run(SteppedEngine::new,
            (time, group, offset, length, rows) -> fold.onGroup(group, offset, length), SimulationProgress.NONE);
        Statistics.label("runs with a match").collect(comparison.found > 0)
            .coverage(coverage -> coverage.check(true).percentage(percent -> percent > 50));
    }
}
