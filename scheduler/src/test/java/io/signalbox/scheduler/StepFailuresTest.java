// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import org.junit.jupiter.api.Test;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Repeated failures of steps. */
class StepFailuresTest
{
    private static final int BACK_OFF = 1000;

    private static SchedulerConfig.Builder small()
    {
        return SchedulerConfig.builder().ranks(1).blockSizeTokens(16).kvBlocks(33).stepTokens(64).maxRunning(8)
            .router("round-robin").maxFailures(8).backOffNanos(BACK_OFF);
    }

    /** Waits until the rank's rest is over, if it rests. */
    private static boolean awaitPlan(final SchedulerHarness harness)
    {
        final long next = harness.scheduler.nextDeadlineNanos();
        if (harness.inFlight.isEmpty() && next != Long.MAX_VALUE)
        {
            harness.tickAt(next);
        }
        return !harness.inFlight.isEmpty();
    }

    private static int failUntilNothingIsTried(final SchedulerHarness harness, final int most)
    {
        int failures = 0;
        while (failures < most && awaitPlan(harness))
        {
            harness.fail(harness.inFlight.keySet().iterator().next());
            failures++;
        }
        return failures;
    }

    @Test
    void shouldFailARequestAfterEightFruitlessSteps()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().build());
        harness.submit(1, 1, 0, 40, 5);
        harness.wake();
        assertEquals(8, failUntilNothingIsTried(harness, 100));
        assertEquals("FAILED", harness.ended.get(0).reason());
        assertEquals(0, harness.scheduler.liveRequests());
        assertEquals(32, harness.scheduler.blocks(0).allocator().allocatableCount());
        assertEquals(0, harness.scheduler.load(0).promptTokens());
    }

    /** Request 2 fails every step that computes it; those beside it fail with it, and must not end for that. */
    @Test
    void shouldFailNoRequestForTheSakeOfAnother()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().build());
        for (int id = 1; id <= 5; id++)
        {
            harness.submit(id, id, 0, 20, 30);
        }
        harness.wake();
        int failures = 0;
        for (int step = 0; step < 500 && awaitPlan(harness); step++)
        {
            if (harness.inFlight.get(0).rows().stream().anyMatch(row -> row.requestId() == 2))
            {
                harness.fail(0);
                failures++;
            }
            else
            {
                harness.complete(0);
            }
        }
        assertEquals(2 + 8, failures, "with four others, with one, then alone");
        assertEquals(List.of("2 FAILED"), harness.ended.stream().filter(end -> !end.reason().equals("LENGTH"))
            .map(end -> end.requestId() + " " + end.reason()).toList());
        assertEquals(5, harness.ended.size());
    }

    @Test
    void shouldServeARequestThatComesAfterwards()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().build());
        harness.submit(1, 1, 0, 40, 5);
        harness.wake();
        failUntilNothingIsTried(harness, 100);
        harness.submit(2, 2, 0, 40, 5);
        harness.tickAt(harness.scheduler.nextDeadlineNanos());
        harness.run();
        assertEquals("LENGTH", harness.ended.get(1).reason());
    }

    @Test
    void shouldRepeatAStepAtOnceAfterTheFirstFailureAndRestAfterEachLater()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().build());
        harness.submit(1, 1, 0, 40, 5);
        harness.wake();
        harness.fail(0);
        assertFalse(harness.inFlight.isEmpty(), "the first failure is repeated at once");
        long rest = BACK_OFF;
        for (int failure = 2; failure < 8; failure++)
        {
            harness.fail(0);
            final long end = harness.scheduler.nextDeadlineNanos();
            assertEquals(rest, end - harness.scheduler.timeNanos(), "failure " + failure);
            assertTrue(harness.inFlight.isEmpty(), "the rank rests");
            assertFalse(harness.scheduler.wantsWake());
            harness.wake();
            assertTrue(harness.inFlight.isEmpty(), "no Wake ends the rest");
            harness.tickAt(end - 1);
            assertTrue(harness.inFlight.isEmpty());
            harness.tickAt(end);
            assertFalse(harness.inFlight.isEmpty());
            rest *= 2;
        }
    }

    @Test
    void shouldForgetFailuresOnceARequestGetsFurther()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().build());
        harness.submit(1, 1, 0, 40, 20);
        harness.wake();
        for (int round = 0; round < 10; round++)
        {
            for (int i = 0; i < 3; i++)
            {
                assertTrue(awaitPlan(harness));
                harness.fail(0);
            }
            assertTrue(awaitPlan(harness));
            harness.complete(0);
        }
        assertTrue(awaitPlan(harness));
        harness.run();
        assertEquals("LENGTH", harness.ended.get(0).reason());
    }

    /** Recomputing the first chunk is no progress; otherwise a second chunk that always fails would be retried endlessly. */
    @Test
    void shouldFailARequestWhoseSecondChunkAlwaysFails()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().stepTokens(16).prefixCaching(false).build());
        harness.submit(1, 1, 0, 32, 5);
        harness.wake();
        int failures = 0;
        while (failures < 100 && awaitPlan(harness))
        {
            if (harness.inFlight.get(0).rows().get(0).start() == 0)
            {
                harness.complete(0);
            }
            else
            {
                harness.fail(0);
                failures++;
            }
        }
        assertEquals(8, failures);
        assertEquals("FAILED", harness.ended.get(0).reason());
    }

    @Test
    void shouldCountLostRanksAndTimeouts()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().ranks(4).maxFailures(3).build());
        harness.submit(1, 1, 0, 40, 5);
        harness.wake();
        harness.timeOut(harness.inFlight.keySet().iterator().next());
        harness.lose(harness.inFlight.keySet().iterator().next());
        assertTrue(harness.ended.isEmpty());
        harness.timeOut(harness.inFlight.keySet().iterator().next());
        assertEquals("FAILED", harness.ended.get(0).reason());
    }

    @Test
    void shouldKeepTheOtherRanksWorkingWhileOneRests()
    {
        for (final boolean lockStep : new boolean[] {false, true})
        {
            final SchedulerHarness harness = new SchedulerHarness(small().ranks(2).lockStep(lockStep).build());
            harness.submit(1, 1, 0, 40, 5);
            harness.submit(2, 2, 0, 40, 50);
            harness.wake();
            harness.fail(0);
            if (lockStep)
            {
                harness.complete(1);
            }
            harness.fail(0);
            for (int i = 0; i < 10; i++)
            {
                harness.complete(1);
                if (harness.inFlight.containsKey(0))
                {
                    assertTrue(lockStep, "a rank on its own rests");
                    assertTrue(harness.inFlight.get(0).rows().isEmpty(), "a resting rank only steps along");
                    harness.complete(0);
                }
            }
            assertTrue(harness.emitted.get(2L).size() >= 10, "lock-step " + lockStep);
        }
    }

    @Test
    void shouldGiveTheSameGroupsAgain()
    {
        final SchedulerHarness[] runs = new SchedulerHarness[2];
        for (int run = 0; run < 2; run++)
        {
            runs[run] = new SchedulerHarness(small().digestInterval(1).build());
            runs[run].submit(1, 1, 0, 40, 5);
            runs[run].wake();
            failUntilNothingIsTried(runs[run], 100);
        }
        assertEquals(runs[0].groups.size(), runs[1].groups.size());
        for (int i = 0; i < runs[0].groups.size(); i++)
        {
            assertArrayEquals(runs[0].groups.get(i), runs[1].groups.get(i));
        }
    }

    @Test
    void shouldRepeatStepsWithoutABoundUnderARunDescriptionThatNamesNone()
    {
        final Map<String, String> settings = new HashMap<>(small().build().settings());
        settings.remove("scheduler.maxFailures");
        settings.remove("scheduler.backOffNanos");
        final SchedulerHarness harness = new SchedulerHarness(SchedulerConfig.of(settings));
        harness.submit(1, 1, 0, 40, 5);
        harness.wake();
        assertEquals(1000, failUntilNothingIsTried(harness, 1000));
        harness.run();
        assertEquals("LENGTH", harness.ended.get(0).reason());
    }

    @Test
    void shouldTakeNoTurnsUnderARunDescriptionThatNamesNone()
    {
        final Map<String, String> settings = new HashMap<>(small().build().settings());
        assertEquals("true", settings.remove("scheduler.suspectTurns"));
        final SchedulerConfig older = SchedulerConfig.of(settings);
        assertFalse(older.get(BatchSettings.SUSPECT_TURNS));
        assertEquals(settings, older.settings());
    }
}
