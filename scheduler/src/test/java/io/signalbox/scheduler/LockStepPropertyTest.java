// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class LockStepPropertyTest
{
    private static SchedulerHarness play(final long seed, final boolean faults)
    {
        final RandomRun run = new RandomRun(seed, faults);
        final Map<String, String> settings = run.config().settings();
        settings.put("scheduler.lockStep", "true");
        final SchedulerHarness harness = new SchedulerHarness(SchedulerConfig.of(settings));
        run.play(harness, 200);
        return harness;
    }

    @Property(tries = 250)
    void noTwoRanksAreEverInDifferentStepsWithoutFaults(@ForAll final long seed)
    {
        final SchedulerHarness harness = play(seed, false);
        StepsTogether.check(harness.config.ranks(), harness.groups);
    }

    /** One run serves every check, and half of the runs a second time. */
    @Property(tries = 500)
    void ranksStepTogetherAndEveryAcceptedRequestEndsOnceWithItsRows(@ForAll final long seed)
    {
        final SchedulerHarness harness = play(seed, true);
        StepsTogether.check(harness.config.ranks(), harness.groups);
        final Set<Long> ended = new HashSet<>();
        for (final SchedulerHarness.Ended end : harness.ended)
        {
            assertTrue(ended.add(end.requestId()), "request " + end.requestId() + " ended twice");
            assertEquals(0, end.missing(), "missing rows of request " + end.requestId());
            harness.oracle().assertRows(harness.scheduler, end.requestId(), end.captured() + end.inherited());
        }
        assertEquals(new HashSet<>(harness.accepted), ended);
        if (seed % 2 == 0)
        {
            requireTheSameGroups(harness, play(seed, true));
        }
    }

    private static void requireTheSameGroups(final SchedulerHarness first, final SchedulerHarness second)
    {
        assertEquals(first.groups.size(), second.groups.size());
        for (int i = 0; i < first.groups.size(); i++)
        {
            assertArrayEquals(first.groups.get(i), second.groups.get(i), "group " + i);
        }
    }
}
