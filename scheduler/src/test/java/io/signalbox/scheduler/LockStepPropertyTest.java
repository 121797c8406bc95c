// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.Digits;
import io.signalbox.Tries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.footnotes.EnableFootnotes;
import net.jqwik.api.footnotes.Footnotes;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** As {@link SchedulerPropertyTest}, in lock-step. */
@EnableFootnotes
class LockStepPropertyTest
{
    @Provide
    Arbitrary<Long> numbers()
    {
        return Digits.numbers();
    }

    @Provide
    Arbitrary<List<Long>> actions()
    {
        return Digits.lists(400);
    }

    private static SchedulerHarness play(
        final long configuration, final List<Long> actions, final boolean faults, final Footnotes notes)
    {
        final RandomRun run = new RandomRun(configuration, faults);
        final Map<String, String> settings = run.config().settings();
        settings.put("scheduler.lockStep", "true");
        final SchedulerHarness harness = new SchedulerHarness(SchedulerConfig.of(settings));
        notes.addAfterFailure(() -> "configuration " + settings + ", actions " + run.played());
        run.play(harness, actions);
        return harness;
    }

    @Property
    @Tries(reduced = 60, full = 10_000)
    void noTwoRanksAreEverInDifferentStepsWithoutFaults(
        @ForAll("actions") final List<Long> actions, @ForAll("numbers") final long configuration,
        final Footnotes notes)
    {
        final SchedulerHarness harness = play(configuration, actions, false, notes);
        StepsTogether.check(harness.config.ranks(), harness.groups);
    }

    /** One run serves every check, and half of the runs a second time. */
    @Property
    @Tries(reduced = 150, full = 10_000)
    void ranksStepTogetherAndEveryAcceptedRequestEndsOnceWithItsRows(
        @ForAll("actions") final List<Long> actions, @ForAll("numbers") final long configuration,
        final Footnotes notes)
    {
        final SchedulerHarness harness = play(configuration, actions, true, notes);
        StepsTogether.check(harness.config.ranks(), harness.groups);
        final Set<Long> ended = new HashSet<>();
        for (final SchedulerHarness.Ended end : harness.ended)
        {
            assertTrue(ended.add(end.requestId()), "request " + end.requestId() + " ended twice");
            assertEquals(0, end.missing(), "missing rows of request " + end.requestId());
            harness.oracle().assertRows(harness.scheduler, end.requestId(), end.captured() + end.inherited());
        }
        assertEquals(new HashSet<>(harness.accepted), ended);
        if (actions.size() % 2 == 0)
        {
            requireTheSameGroups(harness, play(configuration, actions, true, notes));
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
