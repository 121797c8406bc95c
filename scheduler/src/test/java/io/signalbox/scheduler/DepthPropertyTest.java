// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.Tries;
import io.signalbox.batch.UnderPressure;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.arbitraries.IntegerArbitrary;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Depth and drafts change when things happen, never which token or row a request gets. A failure shrinks to few actions. */
class DepthPropertyTest
{
    /** Few tries: {@link DepthRunsTest} has many runs, and counts what happens in them. */
    @Property(tries = 100, edgeCases = EdgeCasesMode.NONE)
    void depthAndDraftsNeverChangeTokensOrRows(@ForAll("cases") final DepthCase run)
    {
        run.play();
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    @Tries(reduced = 20, full = 2_000)
    void twoRunsShouldWriteTheSameEvents(@ForAll("cases") final DepthCase run)
    {
        assertEquals(run.play().digest(), run.play().digest());
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    @Tries(reduced = 100, full = 5_000)
    void pausesThatAreNotAllowedShouldDecideNothing(@ForAll("cases") final DepthCase run)
    {
        final SchedulerConfig config = run.config().build();
        assertEquals(
            run.play(config.toBuilder().set(BatchSettings.UNDER_PRESSURE, UnderPressure.RECOMPUTE).build()).digest(),
            run.play(config.toBuilder().set(BatchSettings.UNDER_PRESSURE, UnderPressure.PAUSE)
                .set(BatchSettings.PAUSED_BLOCKS, 0).build()).digest());
    }

    @Provide
    Arbitrary<DepthCase> cases()
    {
        return Combinators.combine(Arbitraries.integers().between(1, 4), Arbitraries.integers().between(0, 3),
            Arbitraries.of(DepthCase.ACCEPTANCES), Arbitraries.of(true, false), Arbitraries.of(true, false, false, false),
            alike(DepthCase.MOST_SHAPE), alike(DepthCase.MOST_ACTION).list().ofMaxSize(DepthCase.MOST_ACTIONS))
            .as(DepthCase::new);
    }

    private static IntegerArbitrary alike(final int most)
    {
        return Arbitraries.integers().between(0, most).withDistribution(RandomDistribution.uniform());
    }
}
