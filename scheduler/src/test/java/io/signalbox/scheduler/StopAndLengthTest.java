// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.event.codec.FreeReason;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A request ends by a stop token or by its length while later steps of it are in flight. */
class StopAndLengthTest
{
    private static final int BLOCKS = 33;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void shouldDropDeadEntryAfterStopToken(final int depth)
    {
        final DepthRig rig = DepthRig.small(depth, 0, 0, BLOCKS);
        rig.content.answer(1, 5, 7, 8, 9);
        rig.submit(4, 20, 7).fill().completeAndFill().completeAndFill().run();
        assertEquals(List.of(5, 7), rig.emitted(1));
        assertEquals(new DepthOutputs.End(FreeReason.STOP, 5, depth == 1 ? 0 : depth + 1), rig.outputs().ended().get(1L));
        assertEquals(depth - 1, rig.counts.of(DepthCounts.Kind.DEAD_ENTRY));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void shouldStopAtAnyOfSeveralTokens(final int depth)
    {
        for (final int stop : new int[] {3, 7, 20})
        {
            final DepthRig rig = DepthRig.small(depth, 0, 0, BLOCKS);
            rig.content.answer(1, 5, 4, 8, 19, 21, stop, 9);
            rig.submit(new ModelContent.Prompt(0, 0, 0, 4, 20, List.of(3, 7, 20)), 0, -1).run();
            assertEquals(List.of(5, 4, 8, 19, 21, stop), rig.emitted(1));
            assertEquals(FreeReason.STOP, rig.outputs().ended().get(1L).reason());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void shouldTrimAcceptedRunAtStop(final int depth)
    {
        final DepthRig rig = DepthRig.small(depth, 3, 100, BLOCKS);
        rig.content.answer(1, 5, 6, 7, 8, 9);
        rig.submit(4, 20, 7).fill().completeAndFill();
        rig.complete(0);
        assertEquals("Commit 2: 1@4+2 after stop 2 emits 6 7", rig.said().get(0));
        rig.run();
        assertEquals(List.of(5, 6, 7), rig.emitted(1));
        assertEquals(6, rig.outputs().ended().get(1L).rows(), "rows behind the stop are dropped");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void shouldEndByLengthWithoutDeadEntry(final int depth)
    {
        final DepthRig rig = DepthRig.small(depth, 0, 0, BLOCKS).submit(6, 5, -1).run();
        assertEquals(new DepthOutputs.End(FreeReason.LENGTH, 10, 0), rig.outputs().ended().get(1L));
        assertEquals(0, rig.counts.of(DepthCounts.Kind.DEAD_ENTRY));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void shouldClipDraftsAtLastPosition(final int depth)
    {
        final DepthRig rig = DepthRig.small(depth, 3, 100, BLOCKS);
        rig.submit(4, 3, -1).fill();
        rig.completeAndFill();
        rig.complete(0);
        assertTrue(rig.said().get(0).startsWith("Commit 2: 1@4+2 emits"), () -> rig.said().toString());
        assertEquals("Free 1 LENGTH", rig.said().get(1).substring(0, 13));
        rig.run();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void shouldEndAtFirstTokenWithDraftsInFlight(final int depth)
    {
        final DepthRig rig = DepthRig.small(depth, 3, 100, BLOCKS);
        rig.content.answer(1, 7);
        rig.submit(4, 20, 7).fill();
        rig.complete(0);
        assertEquals("Free 1 STOP" + (depth == 1 ? "" : " fence " + depth), rig.said().get(1));
        rig.run();
        assertEquals(depth - 1, rig.counts.of(DepthCounts.Kind.DEAD_ENTRY));
    }

    /** A second request keeps the pool short, so that step 3 ends where step 2 may end. */
    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void shouldResolveVoidEntryToNothing(final int depth)
    {
        final DepthRig rig = DepthRig.small(depth, 3, 100, 4);
        rig.submit(4, 9, -1).submit(4, 5, -1).fill();
        rig.completeAndFill();
        rig.completeAndFill();
        rig.complete(0);
        assertEquals("Commit 3: 1 VOID", rig.said().get(0));
        rig.run();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void shouldCountRowsAsKnownMinusOne(final int depth)
    {
        for (int newTokens = 0; newTokens < 6; newTokens++)
        {
            final DepthRig rig = DepthRig.small(depth, 2, 50, BLOCKS).submit(5, newTokens, -1).run();
            assertEquals(Math.max(5, 5 + newTokens - 1), rig.outputs().ended().get(1L).rows());
        }
    }
}
