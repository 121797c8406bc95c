// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.router.RouterConfig;
import io.signalbox.scheduler.SchedulerConfig;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The arbitraries as a user has them: by type, and by name. */
class HarnessPropertyTest
{
    /** Whatever completes, fails and is cancelled: every request ends with the tokens and rows of the model. */
    @Property(tries = 300)
    void everyPlayEndsAsTheModelSays(@ForAll final SchedulerConfig pool, @ForAll final HarnessPlay play)
    {
        try (EngineHarness engine = EngineHarness.of(pool))
        {
            engine.play(play).assertAllAsTheModelSays();
        }
    }

    @Property(tries = 100)
    void theSamePlayGivesTheSameDecisions(@ForAll final SchedulerConfig pool, @ForAll final HarnessPlay play)
    {
        assertEquals(events(pool, play), events(pool, play));
    }

    private static List<String> events(final SchedulerConfig pool, final HarnessPlay play)
    {
        try (EngineHarness engine = EngineHarness.of(pool))
        {
            return engine.play(play).events();
        }
    }

    /** The plays are no empty exercise: among them are all the things that can happen. */
    @Property(tries = 1)
    void playsReachWhatTheyAreFor()
    {
        final StringBuilder all = new StringBuilder();
        Combinators.combine(HarnessArbitraries.pools(), HarnessArbitraries.plays()).as(HarnessPropertyTest::events)
            .sampleStream().limit(200).forEach(all::append);
        for (final String event : List.of("requeued", ": PREEMPTED", "withdrew", ": CANCELLED", ": LENGTH",
            ": STEP_WITHDRAWN", ": NEW_WEIGHTS", "on rank 3", "emits 1"))
        {
            assertTrue(all.indexOf(event) >= 0, "no play has '" + event + "'");
        }
    }

    @Provide
    Arbitrary<HarnessAct> faults()
    {
        return HarnessArbitraries.faults();
    }

    @Provide
    Arbitrary<List<HarnessAct>> completions()
    {
        return HarnessArbitraries.completions();
    }

    @Provide
    Arbitrary<List<PlannedRequest>> workloads()
    {
        return HarnessArbitraries.workloads();
    }

    @Property(tries = 50)
    void arbitrariesCombineByName(
        @ForAll("workloads") final List<PlannedRequest> requests,
        @ForAll("completions") final List<HarnessAct> completions,
        @ForAll("faults") final HarnessAct fault)
    {
        assertTrue(requests.size() >= 1 && requests.size() <= 12);
        assertTrue(completions.stream().allMatch(act -> act.kind().compareTo(HarnessAct.Kind.COMPLETE) <= 0));
        assertTrue(fault.kind().compareTo(HarnessAct.Kind.FAIL) >= 0);
    }

    /** A property over the harness finds a router that fails only with three requests on a rank. */
    @Property(tries = 1)
    void aRouterThatFailsLateIsFound()
    {
        final SchedulerConfig pool = SchedulerConfig.builder().ranks(1).blockSizeTokens(16).kvBlocks(65)
            .router(RouterConfig.of(new ThrowingRouter.Provider())).build();
        final String failure = assertThrows(RuntimeException.class, () ->
        {
            try (EngineHarness engine = EngineHarness.of(pool))
            {
                for (int i = 1; i <= 6; i++)
                {
                    engine.request(i).prompt(10).generate(3).submit();
                }
                engine.run();
            }
        }).toString();
        assertTrue(
            failure.contains("the router throwing, version 1, threw java.lang.IllegalStateException: three"), failure);
    }
}
