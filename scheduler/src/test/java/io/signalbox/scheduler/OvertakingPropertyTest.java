// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.event.EventReader;
import io.signalbox.event.codec.DigestDecoder;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.RouterConfig;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class OvertakingPropertyTest
{
    private static final int STEP_TOKENS = 64;
    private static final int MOST =
        Placement.MAX_OVERTAKING + PlacementBatch.MAX_REQUESTS;

    private static SchedulerHarness harness(final int ranks)
    {
        return harness(ranks, 4096);
    }

    private static SchedulerHarness harness(final int ranks, final int digestInterval)
    {
        final RouterConfig router = RouterConfig.standard().with("backlog", STEP_TOKENS);
        return new SchedulerHarness(SchedulerConfig.builder().ranks(ranks).blockSizeTokens(16).kvBlocks(4096)
            .stepTokens(STEP_TOKENS).prefixCaching(false).router(router).digestInterval(digestInterval).build());
    }

    /** Each request names a rank. Prompt tokens arrive as fast as steps compute them, so every rank always has work. */
    @Property(tries = 12)
    void noStreamOfRequestsThatNameARankKeepsAnotherWaitingForEver(
        @ForAll @IntRange(min = 1, max = 3) final int ranks,
        @ForAll @IntRange(min = 2, max = 4) final int running,
        @ForAll @Size(min = 1, max = 64) final List<Boolean> relaxed)
    {
        final SchedulerHarness harness = harness(ranks);
        long id = 0;
        for (int i = 0; i < running * ranks; i++)
        {
            harness.submit(++id, id, 0, STEP_TOKENS, 1,
                SchedulerHarness.Options.rank(i % ranks).relaxed(relaxed.get(i % relaxed.size())));
        }
        harness.wake();
        final long waits = ++id;
        harness.submit(waits, waits, 0, STEP_TOKENS, 1);
        for (int round = 0; round < MOST + 64 && !harness.emitted.containsKey(waits); round++)
        {
            for (int rank = 0; rank < ranks; rank++)
            {
                harness.submit(++id, id, 0, STEP_TOKENS, 1,
                    SchedulerHarness.Options.rank(rank).relaxed(relaxed.get((int)(id % relaxed.size()))));
            }
            for (final int rank : List.copyOf(harness.inFlight.keySet()))
            {
                harness.complete(rank);
            }
        }
        assertTrue(harness.emitted.containsKey(waits), "still waits behind " + harness.ended.size() + " requests");
        assertTrue(harness.ended.size() >= Placement.MAX_OVERTAKING, "the stream ran dry after " + harness.ended.size());
        assertTrue(harness.ended.size() <= MOST + 16 * ranks, harness.ended.size() + " overtook it");
        harness.run();
        assertEquals(id, harness.ended.size());
    }

    /** Some overtaking requests have ended; only the count of overtaking remains. */
    @Test
    void shouldPutWhatOvertookIntoTheDigest()
    {
        assertNotEquals(digestAfterOvertaking(0, 3, 4), digestAfterOvertaking(1, 3, 4));
        assertNotEquals(digestAfterOvertaking(1, 3, 4), digestAfterOvertaking(2, 3, 4));
        assertEquals(digestAfterOvertaking(0, 2, 3), digestAfterOvertaking(1, 2, 3), "gone with the one that waited");
    }

    /** Places the given number of requests 3 and 4 ahead of 2, which waits, then cancels two of the three. */
    private static long digestAfterOvertaking(final int overtaking, final long gone, final long alsoGone)
    {
        final SchedulerHarness harness = harness(1, 8);
        harness.submit(1, 1, 0, 10 * STEP_TOKENS, 1);
        harness.wake();
        harness.submit(2, 2, 0, STEP_TOKENS, 1);
        harness.submit(3, 3, 0, STEP_TOKENS, 1, SchedulerHarness.Options.rank(overtaking > 0 ? 0 : -1));
        harness.submit(4, 4, 0, STEP_TOKENS, 1, SchedulerHarness.Options.rank(overtaking > 1 ? 0 : -1));
        harness.wake();
        harness.cancel(gone);
        harness.cancel(alsoGone);
        final List<Long> digests = new ArrayList<>();
        final EventReader reader = new EventReader()
        {
            @Override
            protected void onDigest(final DigestDecoder digest)
            {
                digests.add(digest.requestsDigest());
            }
        };
        final UnsafeBuffer bytes = new UnsafeBuffer(harness.groups.get(7));
        reader.readGroup(bytes, 0, bytes.capacity());
        assertEquals(1, digests.size(), "digests after 8 inputs");
        return digests.get(0);
    }

    /** Each request queues ahead of the waiting one, and is cancelled before the bound is reached. */
    @Test
    void shouldCountOnWhereRequestsOfAHigherPriorityComeAndGo()
    {
        final SchedulerHarness harness = harness(1);
        long id = 0;
        for (int i = 0; i < 4; i++)
        {
            harness.submit(++id, id, 0, STEP_TOKENS, 1, SchedulerHarness.Options.rank(0));
        }
        harness.wake();
        final long waits = ++id;
        harness.submit(waits, waits, 0, STEP_TOKENS, 1);
        for (int round = 0; round < 2 * MOST && !harness.emitted.containsKey(waits); round++)
        {
            if (round % 500 == 10)
            {
                harness.submit(++id, id, 0, STEP_TOKENS, 1, SchedulerHarness.Options.priority(1));
            }
            if (round % 500 == 20)
            {
                harness.cancel(id - 10);
            }
            harness.submit(++id, id, 0, STEP_TOKENS, 1, SchedulerHarness.Options.rank(0));
            harness.complete(0);
        }
        assertTrue(harness.ended.size() >= Placement.MAX_OVERTAKING, "the stream ran dry after " + harness.ended.size());
        assertTrue(harness.ended.size() <= MOST + 16, harness.ended.size() + " overtook it");
    }

    /** Once the waiting request is gone, the count starts again for the next one. */
    @Test
    void shouldHoldNothingBackForARequestThatIsCancelled()
    {
        final SchedulerHarness harness = harness(1);
        long id = 0;
        for (int i = 0; i < 4; i++)
        {
            harness.submit(++id, id, 0, STEP_TOKENS, 1, SchedulerHarness.Options.rank(0));
        }
        harness.wake();
        final long waits = ++id;
        harness.submit(waits, waits, 0, STEP_TOKENS, 1);
        for (int round = 0; round < Placement.MAX_OVERTAKING; round++)
        {
            harness.submit(++id, id, 0, STEP_TOKENS, 1, SchedulerHarness.Options.rank(0));
            harness.complete(0);
        }
        harness.submit(++id, id, 0, STEP_TOKENS, 1, SchedulerHarness.Options.rank(0));
        final long behind = ++id;
        harness.submit(behind, behind, 0, STEP_TOKENS, 1, SchedulerHarness.Options.rank(0));
        harness.complete(0);
        assertFalse(harness.ended.stream().anyMatch(ended -> ended.requestId() == waits));
        harness.cancel(waits);
        harness.run();
        assertEquals(id, harness.ended.size());
    }
}
