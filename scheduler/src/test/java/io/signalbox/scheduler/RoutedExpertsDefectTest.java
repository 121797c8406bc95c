// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.event.CommitView;
import io.signalbox.event.EventReader;
import io.signalbox.event.codec.FreeReason;
import io.signalbox.experts.ModelShape;
import io.signalbox.kv.KvBlockAllocator;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Defects of other systems in capturing routed experts, numbered as in docs/defects.md; the scheduler has none of them. */
class RoutedExpertsDefectTest
{
    private static SchedulerConfig.Builder small()
    {
        return SchedulerConfig.builder().ranks(1).blockSizeTokens(4).kvBlocks(17).stepTokens(64).maxRunning(8)
            .capture(new ModelShape(2, 64, 2));
    }

    private static void releaseRows(final SchedulerHarness harness)
    {
        for (final SchedulerHarness.Ended ended : harness.ended)
        {
            harness.releaseRows(ended.requestId());
        }
    }

    @Test
    void d1ShouldRunTwoEnginesInOneJvmWithoutSharedState()
    {
        final SchedulerHarness first = new SchedulerHarness(small().build());
        first.submit(1, 1, 2, 10, 3);
        first.run();
        final SchedulerHarness second = new SchedulerHarness(small().capture(new ModelShape(5, 300, 3)).build());
        second.submit(1, 1, 2, 10, 3);
        second.run();
        assertEquals(12, second.ended.get(0).captured());
    }

    @Test
    void d2ShouldAccountForRowsWhateverTheReasonOfTheEnd()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().build());
        harness.submit(1, 1, 0, 10, 3);
        harness.submit(2, 2, 0, 10, 30, SchedulerHarness.Options.deadline(8));
        harness.submit(3, 3, 0, 10, 30);
        harness.wake();
        harness.complete(0);
        harness.cancel(3);
        harness.run();
        assertEquals(3, harness.ended.size());
        for (final SchedulerHarness.Ended ended : harness.ended)
        {
            assertTrue(ended.captured() >= 10, ended.toString());
            harness.oracle().assertRows(harness.scheduler, ended.requestId(), ended.captured());
        }
    }

    @Test
    void d3ShouldHoldOnePagePerUsedBlockOnceClientsHaveTheirRows()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().prefixCaching(false).build());
        for (int round = 0; round < 3; round++)
        {
            for (int id = 1; id <= 20; id++)
            {
                harness.submit(100 * round + id, 1, 0, 10, 3);
            }
            harness.run();
            assertTrue(harness.scheduler.pages().livePages() >= 20 * 3, "12 rows of each request, 4 per page");
            releaseRows(harness);
            assertEquals(harness.oracle().usedBlocks(), harness.scheduler.pages().livePages(), "round " + round);
            assertEquals(0, harness.scheduler.liveRequests());
        }
        assertTrue(harness.oracle().usedBlocks() <= 16, "blocks of the pool");
    }

    /** The same with cached prefixes, requests that are cancelled in flight, and preemptions. */
    @Test
    void d3ShouldHoldOnePagePerUsedBlockWhateverTheReasonOfTheEnd()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().build());
        for (int round = 0; round < 3; round++)
        {
            for (int id = 1; id <= 20; id++)
            {
                harness.submit(100 * round + id, id % 4, 1, 10, 6);
            }
            harness.wake();
            for (int id = 3; id <= 20; id += 3)
            {
                harness.cancel(100 * round + id);
            }
            harness.run();
            releaseRows(harness);
            assertEquals(harness.oracle().usedBlocks(), harness.scheduler.pages().livePages(), "round " + round);
            assertEquals(0, harness.scheduler.liveRequests());
        }
    }

    @Test
    void d4ShouldLeakNothingWhenARequestIsAbortedAtAnyEvent()
    {
        for (int cancelAt = 0; cancelAt < 12; cancelAt++)
        {
            final SchedulerHarness harness = new SchedulerHarness(small().build());
            harness.submit(1, 1, 1, 10, 6);
            harness.submit(2, 1, 1, 10, 6);
            for (int event = 0; event < 12; event++)
            {
                if (event == cancelAt)
                {
                    harness.cancel(1);
                }
                if (harness.inFlight.isEmpty())
                {
                    harness.wake();
                }
                else
                {
                    harness.complete(0);
                }
            }
            harness.run();
            releaseRows(harness);
            assertEquals(0, harness.scheduler.liveRequests(), "cancelled at event " + cancelAt);
            assertEquals(0, harness.scheduler.blocks(0).allocator().owned());
            assertEquals(
                harness.oracle().usedBlocks(), harness.scheduler.pages().livePages(), "pages beyond those of blocks");
        }
    }

    @Test
    void d6ShouldWriteNothingAboutRowsWhenCaptureIsOff()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().capture(null).build());
        harness.submit(1, 1, 2, 10, 3);
        harness.run();
        assertNull(harness.scheduler.pages());
        final EventReader reader = new EventReader()
        {
            @Override
            protected void onCommit(final CommitView commit)
            {
                assertEquals(0, commit.spanCount());
            }
        };
        harness.groups.forEach(group -> reader.readGroup(new UnsafeBuffer(group), 0, group.length));
    }

    /** The device computes on behind the stop token, because it knows of none; every row of the request stays. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void d7ShouldKeepTheRowsOfARequestThatStopsWhileTheDeviceComputesFurther(final int depth)
    {
        final DepthRig rig = DepthRig.small(depth, 0, 0, 20);
        rig.content.answer(1, 5, 6, 7);
        rig.submit(6, 20, 7).fill();
        while (!rig.outputs().live().isEmpty())
        {
            rig.completeAndFill();
        }
        rig.run();
        assertEquals(List.of(5, 6, 7), rig.emitted(1));
        assertEquals(FreeReason.STOP, rig.outputs().ended().get(1L).reason());
        assertEquals(8, rig.outputs().ended().get(1L).rows());
        assertEquals(depth - 1, rig.counts.of(DepthCounts.Kind.DEAD_ENTRY));
    }

    /** Every number of draft tokens from none to all is accepted; the rig compares each row with that of its token. */
    @ParameterizedTest
    @CsvSource({"1, 1", "1, 2", "1, 3", "1, 4", "2, 1", "2, 2", "2, 3", "2, 4", "4, 1", "4, 2", "4, 3", "4, 4"})
    void d17ShouldHaveNoRowsOfRejectedDrafts(final int depth, final int accepted)
    {
        final DepthRig rig = DepthRig.small(depth, 3, 100, 20);
        for (int position = 0; position < 30; position++)
        {
            rig.content.accept(1, position, accepted);
        }
        rig.submit(6, 13, -1).run();
        assertEquals(13, rig.emitted(1).size());
        assertEquals(18, rig.outputs().ended().get(1L).rows(), "prompt + generated - 1");
        assertEquals(accepted < 4, rig.counts.of(DepthCounts.Kind.REJECTED_DRAFT) > 0);
    }

    @Test
    void d8d9ShouldKeepTheFirstRowsWhenAPreemptedRequestIsComputedAgain()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().kvBlocks(9).build());
        harness.submit(1, 1, 0, 12, 20);
        harness.submit(2, 2, 0, 12, 20);
        harness.run();
        for (final SchedulerHarness.Ended ended : harness.ended)
        {
            assertEquals(31, ended.captured());
            harness.oracle().assertRows(harness.scheduler, ended.requestId(), 31);
        }
    }

    @Test
    void d10ShouldHaveRealRowsForAPrefixHit()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().build());
        harness.submit(1, 1, 2, 10, 1);
        harness.run();
        harness.submit(2, 1, 2, 10, 1);
        harness.run();
        assertEquals(8, harness.ended.get(1).inherited());
        assertEquals(0, harness.ended.get(1).missing());
        harness.oracle().assertRows(harness.scheduler, 2, 10);
    }

    @Test
    void d13ShouldAttributeRowsByBatchOrderAndNotByRequestOrder()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().build());
        harness.submit(9, 1, 0, 7, 3);
        harness.submit(2, 2, 0, 5, 3);
        harness.submit(5, 3, 0, 9, 3);
        harness.run();
        for (final SchedulerHarness.Ended ended : harness.ended)
        {
            harness.oracle().assertRows(harness.scheduler, ended.requestId(), ended.captured());
        }
    }

    @Test
    void d19ShouldHavePromptPlusGeneratedMinusOneRowsAndPromptRowsForPrefillOnly()
    {
        final int[] expected = {10, 10, 11};
        for (int newTokens = 0; newTokens <= 2; newTokens++)
        {
            final SchedulerHarness harness = new SchedulerHarness(small().build());
            harness.submit(1, 1, 0, 10, newTokens);
            harness.run();
            assertEquals(expected[newTokens], harness.ended.get(0).captured(), newTokens + " new tokens");
        }
    }

    @Test
    void d20ShouldStoreTheHighestExpertOnBothSidesOfTheByteBoundary()
    {
        for (final int experts : new int[] {255, 256, 257, 512})
        {
            final SchedulerHarness harness = new SchedulerHarness(small().capture(new ModelShape(1, experts, 2)).build());
            harness.submit(1, 1, 0, 40, 1);
            harness.run();
            assertEquals(40, harness.ended.get(0).captured(), experts + " experts");
            assertEquals(experts <= 256 ? 2 : 4, harness.config.capture().rowBytes());
            harness.oracle().assertRows(harness.scheduler, 1, 40);
            int highest = 0;
            for (final short id : harness.scheduler.rows(1).copy(0, 40).ids())
            {
                assertTrue(id >= 0 && id < experts, id + " of " + experts + " experts");
                highest += id == experts - 1 ? 1 : 0;
            }
            assertTrue(highest > 0, "no row holds expert " + (experts - 1));
        }
    }

    /** The pools of two ranks have the same block ids. */
    @Test
    void d23ShouldKeepTheRowsOfEqualBlockIdsOfTwoRanksApart()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().ranks(2).build());
        harness.submit(1, 1, 2, 10, 3, SchedulerHarness.Options.rank(0));
        harness.submit(2, 2, 2, 10, 3, SchedulerHarness.Options.rank(1));
        harness.wake();
        assertEquals(harness.scheduler.request(1).blockId(0), harness.scheduler.request(2).blockId(0));
        assertNotEquals(harness.scheduler.request(1).rank(), harness.scheduler.request(2).rank());
        harness.run();
        for (final SchedulerHarness.Ended ended : harness.ended)
        {
            assertEquals(12, ended.captured());
            harness.oracle().assertRows(harness.scheduler, ended.requestId(), 12);
        }
        assertEquals(2, harness.ended.size());
    }

    @Test
    void d25ShouldNotLoseTheRowsOfALiveRequestWhenItsBlocksAreHandedOutAgain()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().kvBlocks(6).build());
        harness.submit(1, 1, 2, 9, 2);
        harness.run();
        for (int id = 2; id < 12; id++)
        {
            harness.submit(id, 100 + id, 0, 16, 2);
            harness.run();
        }
        harness.oracle().assertRows(harness.scheduler, 1, 10);
    }

    @Test
    void d28ShouldFinishEverythingUnderPermanentPreemption()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().kvBlocks(6).build());
        for (int id = 1; id <= 8; id++)
        {
            harness.submit(id, id, 0, 8, 12);
        }
        harness.run();
        assertEquals(8, harness.ended.size());
    }

    /** Megatron Core recomputes the whole last block of a fully matched prompt, in the shared block. */
    @Test
    void shouldComputeTheEndOfAFullyMatchedPromptInABlockOfItsOwn()
    {
        final SchedulerHarness harness = new SchedulerHarness(small().build());
        harness.submit(1, 1, 2, 8, 3);
        harness.run();
        final KvBlockAllocator allocator = harness.scheduler.blocks(0).allocator();
        final int shared = allocator.find(SchedulerHarness.blockHash(1, 1));
        final int issue = allocator.issue(shared);
        harness.submit(2, 1, 2, 8, 3);
        harness.wake();
        assertEquals(0, allocator.refCount(shared), "the request needs the last token's logits, not its block");
        assertEquals(1, allocator.refCount(allocator.find(SchedulerHarness.blockHash(1, 0))));
        harness.run();
        assertEquals(4, harness.ended.get(1).inherited());
        assertEquals(6, harness.ended.get(1).captured());
        assertEquals(shared, allocator.find(SchedulerHarness.blockHash(1, 1)), "the first block keeps the hash");
        assertEquals(issue, allocator.issue(shared));
        harness.oracle().assertRows(harness.scheduler, 2, 10);
    }
}
