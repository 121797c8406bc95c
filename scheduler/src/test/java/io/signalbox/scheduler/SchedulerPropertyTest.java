// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.kv.KvBlockAllocator;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SchedulerPropertyTest
{
    private static SchedulerHarness play(final long seed, final boolean faults)
    {
        final RandomRun run = new RandomRun(seed, faults);
        final SchedulerHarness harness = new SchedulerHarness(run.config());
        run.play(harness, 200);
        return harness;
    }

    /** One run serves every check, and half of the runs a second time. */
    @Property(tries = 1000)
    void everyRunKeepsTheLawsOfTheScheduler(@ForAll final long seed)
    {
        final SchedulerHarness harness = play(seed, true);
        requireEveryAcceptedRequestToEndOnce(harness);
        requireEveryRowToBeTheFirstOfItsPosition(harness);
        requireAllBlocksToReturnAndDigestsToMatchTheirRecomputation(harness);
        if (seed % 2 == 0)
        {
            requireTheSameGroups(harness, play(seed, true));
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

    @Property(tries = 1000)
    void finishedRequestsHavePromptPlusGeneratedMinusOneRows(@ForAll final long seed)
    {
        final SchedulerHarness harness = play(seed, false);
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
