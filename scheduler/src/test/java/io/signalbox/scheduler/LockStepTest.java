// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.experts.ModelShape;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class LockStepTest
{
    private static SchedulerHarness harness(final int ranks)
    {
        return new SchedulerHarness(SchedulerConfig.builder().ranks(ranks).blockSizeTokens(16).kvBlocks(65).stepTokens(64)
            .lockStep(true).capture(new ModelShape(2, 64, 2)).build());
    }

    private static List<Long> steps(final SchedulerHarness harness)
    {
        return harness.inFlight.values().stream().map(SchedulerHarness.Step::step).toList();
    }

    @Test
    void shouldGiveAnEmptyPlanToARankWithoutWork()
    {
        final SchedulerHarness harness = harness(3);
        harness.submit(1, 1, 0, 20, 2, SchedulerHarness.Options.rank(1));
        harness.wake();

        assertEquals(List.of(1L, 1L, 1L), steps(harness));
        assertEquals(List.of(), harness.inFlight.get(0).rows());
        assertEquals(List.of(new SchedulerHarness.Row(1, 0, 20)), harness.inFlight.get(1).rows());
        harness.run();
        assertEquals(4, StepsTogether.check(3, harness.groups));
        assertEquals(1, harness.ended.size());
    }

    @Test
    void shouldPlanNothingBeforeTheLastRankHasEndedItsStep()
    {
        final SchedulerHarness harness = harness(2);
        harness.submit(1, 1, 0, 20, 4, SchedulerHarness.Options.rank(0));
        harness.wake();
        harness.complete(0);
        harness.submit(2, 2, 0, 20, 4, SchedulerHarness.Options.rank(0));
        assertFalse(harness.scheduler.wantsWake());
        harness.wake();

        assertEquals(Set.of(1), harness.inFlight.keySet());
        harness.complete(1);
        assertEquals(List.of(2L, 2L), steps(harness));
        assertEquals(2, harness.inFlight.get(0).rows().size());
    }

    @Test
    void shouldTakeNoStepWithoutWork()
    {
        final SchedulerHarness harness = harness(2);
        harness.wake();
        assertTrue(harness.inFlight.isEmpty());

        harness.submit(1, 1, 0, 20, 1);
        assertTrue(harness.scheduler.wantsWake());
        harness.run();
        assertFalse(harness.scheduler.wantsWake());
        assertEquals(1, harness.ended.size());
    }

    @Test
    void shouldGoOnWithoutALostRank()
    {
        final SchedulerHarness harness = harness(3);
        harness.submit(1, 1, 0, 20, 4, SchedulerHarness.Options.rank(0).relaxed(true));
        harness.submit(2, 2, 0, 20, 4, SchedulerHarness.Options.rank(2).relaxed(true));
        harness.wake();
        harness.complete(0);
        harness.complete(1);
        harness.lose(2);

        assertEquals(Set.of(0, 1), harness.inFlight.keySet());
        harness.reset(true);
        assertEquals(List.of(3L, 3L, 3L), steps(harness));
        harness.run();
        assertEquals(2, harness.ended.size());
        StepsTogether.check(3, harness.groups);
    }

    @Test
    void shouldGoOnWithoutARankWhoseStepTimedOut()
    {
        final SchedulerHarness harness = harness(2);
        harness.submit(1, 1, 0, 20, 4, SchedulerHarness.Options.rank(0).relaxed(true));
        harness.wake();
        harness.complete(1);
        harness.timeOut(0);

        assertEquals(Set.of(1), harness.inFlight.keySet());
        assertEquals(List.of(new SchedulerHarness.Row(1, 0, 20)), harness.inFlight.get(1).rows());
        harness.run();
        assertEquals("LENGTH", harness.ended.get(0).reason());
    }

    @Test
    void shouldWaitForTheOthersAfterAFailedStep()
    {
        final SchedulerHarness harness = harness(2);
        harness.submit(1, 1, 0, 20, 4, SchedulerHarness.Options.rank(0));
        harness.wake();
        harness.fail(0);

        assertEquals(Set.of(1), harness.inFlight.keySet());
        harness.complete(1);
        assertEquals(List.of(new SchedulerHarness.Row(1, 0, 20)), harness.inFlight.get(0).rows());
        harness.run();
        assertEquals("LENGTH", harness.ended.get(0).reason());
    }
}
