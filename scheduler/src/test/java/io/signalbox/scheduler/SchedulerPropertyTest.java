// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.Digits;
import io.signalbox.Tries;
import io.signalbox.kv.KvBlockAllocator;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.footnotes.EnableFootnotes;
import net.jqwik.api.footnotes.Footnotes;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The configuration and each action are numbers; a failure lists the actions of the shortest run that jqwik finds. */
@EnableFootnotes
class SchedulerPropertyTest
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
        final SchedulerHarness harness = new SchedulerHarness(run.config());
        notes.addAfterFailure(() -> "configuration " + harness.config.settings() + ", actions " + run.played());
        run.play(harness, actions);
        return harness;
    }

    /** One run serves every check, and half of the runs a second time. */
    @Property
    @Tries(reduced = 250, full = 20_000)
    void everyRunKeepsTheLawsOfTheScheduler(
        @ForAll("actions") final List<Long> actions, @ForAll("numbers") final long configuration,
        final Footnotes notes)
    {
        final SchedulerHarness harness = play(configuration, actions, true, notes);
        requireEveryAcceptedRequestToEndOnce(harness);
        requireEveryRowToBeTheFirstOfItsPosition(harness);
        requireAllBlocksToReturnAndDigestsToMatchTheirRecomputation(harness);
        if (actions.size() % 2 == 0)
        {
            requireTheSameGroups(harness, play(configuration, actions, true, notes));
        }
    }

    private static void requireEveryAcceptedRequestToEndOnce(final SchedulerHarness harness)
    {
        final Set<Long> ended = new HashSet<>();
        harness.ended.forEach(end -> assertTrue(ended.add(end.requestId()), "request " + end.requestId() + " ended twice"));
        assertEquals(new HashSet<>(harness.accepted), ended);
    }

    private static void requireEveryRowToBeTheFirstOfItsPosition(final SchedulerHarness harness)
    {
        for (final SchedulerHarness.Ended end : harness.ended)
        {
            assertEquals(List.of(), harness.oracle().differences(end), "row counts of request " + end.requestId());
            harness.oracle().assertRows(harness.scheduler, end.requestId(), end.captured() + end.inherited());
        }
    }

    private static void requireAllBlocksToReturnAndDigestsToMatchTheirRecomputation(final SchedulerHarness harness)
    {
        for (int rank = 0; rank < harness.config.ranks(); rank++)
        {
            final KvBlockAllocator allocator = harness.scheduler.blocks(rank).allocator();
            assertEquals(0, allocator.owned(), "blocks without an owner are free or cached");
            assertEquals(0, harness.scheduler.load(rank).promptTokens(), "load without requests");
            assertEquals(0, harness.scheduler.load(rank).uncachedTokens());
            assertEquals(0, harness.scheduler.load(rank).pendingPrefillTokens());
            assertEquals(0, harness.scheduler.load(rank).contextTokens());
            assertEquals(allocator.recomputePoolDigest(), allocator.poolDigest());
        }
        assertEquals(harness.scheduler.pages().recomputeDigest(), harness.scheduler.pages().digest());
    }

    private static void requireTheSameGroups(final SchedulerHarness first, final SchedulerHarness second)
    {
        assertEquals(first.groups.size(), second.groups.size());
        for (int i = 0; i < first.groups.size(); i++)
        {
            assertArrayEquals(first.groups.get(i), second.groups.get(i), "group " + i);
        }
    }

    @Property
    @Tries(reduced = 150, full = 20_000)
    void finishedRequestsHavePromptPlusGeneratedMinusOneRows(
        @ForAll("actions") final List<Long> actions, @ForAll("numbers") final long configuration,
        final Footnotes notes)
    {
        final SchedulerHarness harness = play(configuration, actions, false, notes);
        for (final SchedulerHarness.Ended end : harness.ended)
        {
            final int emitted = harness.emitted.getOrDefault(end.requestId(), List.of()).size();
            assertEquals(emitted, end.generated());
            if ("LENGTH".equals(end.reason()))
            {
                final int fed = harness.prompts.get(end.requestId()) + Math.max(0, emitted - 1);
                assertEquals(fed, end.captured() + end.inherited(), "rows of request " + end.requestId());
            }
        }
    }
}
