// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** KV blocks that steps in flight may write. */
class FencedBlocksTest
{
    private static int owned(final DepthRig rig)
    {
        return rig.scheduler.blocks(0).allocator().owned();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void shouldHoldBlocksOfStoppedRequestUntilFence(final int depth)
    {
        final DepthRig rig = DepthRig.small(depth, 0, 0, 9);
        rig.content.answer(1, 7);
        rig.submit(3, 20, 7).fill().complete(0);
        assertEquals("Free 1 STOP fence " + depth, rig.said().get(1));
        for (int step = 2; step <= depth; step++)
        {
            assertTrue(owned(rig) > 0, "step " + step + " may still write");
            rig.complete(0);
        }
        assertEquals(0, owned(rig));
    }

    /** Dead entries write behind the committed positions only, so a full prompt block is shared at once. */
    @Test
    void shouldShareRegisteredBlocksOfStoppedRequestAtOnce()
    {
        final DepthRig rig = DepthRig.small(2, 0, 0, 9);
        rig.content.answer(1, 7);
        rig.submit(new ModelContent.Prompt(5, 4, 6, 20, 7), 0, -1).fill().complete(0);
        assertEquals("Free 1 STOP fence 2", rig.said().get(1));
        rig.submit(new ModelContent.Prompt(5, 4, 7, 2, -1), 0, -1).wake();
        assertEquals("Schedule 3: 2@4+3 <7", rig.said().get(rig.said().size() - 1));
        assertEquals(1, rig.counts.of(DepthCounts.Kind.MATCHED_BLOCK));
        rig.run();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void shouldKeepReserveAfterRejection(final int depth)
    {
        final DepthRig rig = DepthRig.small(depth, 3, 0, 33).submit(4, 12, -1).fill();
        int before = owned(rig);
        while (!rig.outputs().live().isEmpty())
        {
            rig.complete(0);
            if (!rig.outputs().live().isEmpty())
            {
                assertTrue(owned(rig) >= before, "a running request gives no block back");
                before = owned(rig);
                rig.fill();
            }
        }
        rig.run();
        assertEquals(0, owned(rig), "the reserve returns at the end");
    }

    /** The object of a request whose rows are released serves another one, although a step in flight still names it. */
    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void shouldNotTakeANewRequestForOneNamedByPlanInFlight(final int depth)
    {
        final DepthRig rig = DepthRig.small(depth, 0, 0, 9);
        rig.content.answer(1, 7);
        rig.submit(3, 20, 7).fill().complete(0);
        rig.releaseRows(1);
        assertNull(rig.scheduler.request(1));
        rig.submit(3, 6, -1).fill();
        for (int step = 2; step <= depth; step++)
        {
            assertTrue(rig.complete(0).said().get(0).startsWith("Commit " + step + ": 1 DEAD"), () -> "" + rig.said());
            rig.fill();
        }
        rig.run();
        assertEquals(6, rig.emitted(2).size());
    }

    /** Three blocks: the first request cannot have the room for its drafts beside the second one. */
    @Test
    void shouldDropDraftsBeforeClipping()
    {
        final DepthRig rig = DepthRig.small(4, 3, 100, 4).submit(4, 9, -1).submit(4, 5, -1).wake();
        assertEquals("Schedule 1: 1@0+4 <4; 2@0+4 <4", rig.said().get(rig.said().size() - 1));
        assertEquals(List.of("Schedule 2: 1@4+4 <8 after 1/0"), rig.launch(0).said());
        assertEquals(List.of("Schedule 3: 1@5~3+1 <8 after 2/0"), rig.launch(0).said());
        rig.run();
    }
}
