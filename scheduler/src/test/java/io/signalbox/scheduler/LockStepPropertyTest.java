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

    @Property(tries = 500)
    void noTwoRanksAreEverInDifferentSteps(@ForAll final long seed, @ForAll final boolean faults)
    {
        final SchedulerHarness harness = play(seed, faults);
        StepsTogether.check(harness.config.ranks(), harness.groups);
    }

    @Property(tries = 500)
    void everyAcceptedRequestEndsExactlyOnceWithItsRows(@ForAll final long seed)
    {
        final SchedulerHarness harness = play(seed, true);
        final Set<Long> ended = new HashSet<>();
        for (final SchedulerHarness.Ended end : harness.ended)
        {
            assertTrue(ended.add(end.requestId()), "request " + end.requestId() + " ended twice");
            assertEquals(0, end.missing(), "missing rows of request " + end.requestId());
            harness.oracle().assertRows(harness.scheduler, end.requestId(), end.captured() + end.inherited());
        }
        assertEquals(new HashSet<>(harness.accepted), ended);
    }

    @Property(tries = 200)
    void theSameInputsGiveTheSameGroups(@ForAll final long seed)
    {
        final SchedulerHarness first = play(seed, true);
        final SchedulerHarness second = play(seed, true);
        assertEquals(first.groups.size(), second.groups.size());
        for (int i = 0; i < first.groups.size(); i++)
        {
            assertArrayEquals(first.groups.get(i), second.groups.get(i), "group " + i);
        }
    }
}
