// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.event.codec.FreeReason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Requests that are ended from outside while steps of them are in flight. */
class EndsInFlightTest
{
    private static final int EVENTS = 30;

    /** Two requests that share a prompt block; plays so many events of their lives. */
    private static DepthRig play(final int depth, final int deadline, final int events)
    {
        final DepthRig rig = DepthRig.small(depth, 2, 50, 9);
        rig.submit(new ModelContent.Prompt(3, 4, 6, 9, -1), 0, deadline);
        rig.submit(new ModelContent.Prompt(3, 4, 7, 9, -1), 0, -1);
        return OneRankPlay.events(rig, events);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void shouldCancelAtEveryEventOfALife(final int depth)
    {
        int inFlight = 0;
        for (int event = 0; event < EVENTS; event++)
        {
            final DepthRig rig = play(depth, -1, event);
            final boolean ended = rig.outputs().ended().containsKey(1L);
            rig.cancel(1);
            rig.cancel(1).run();
            assertTrue(ended || rig.outputs().ended().get(1L).reason() == FreeReason.CANCELLED);
            assertEquals(FreeReason.LENGTH, rig.outputs().ended().get(2L).reason());
            inFlight += rig.counts.of(DepthCounts.Kind.OWNER_GONE_ENTRY) > 0 ? 1 : 0;
        }
        assertTrue(inFlight > 2, "cancelled in flight");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void shouldMeetDeadlineInFlight(final int depth)
    {
        int inFlight = 0;
        for (int deadline = 1; deadline < EVENTS; deadline++)
        {
            final DepthRig rig = play(depth, deadline, 2 * EVENTS);
            rig.run();
            final FreeReason reason = rig.outputs().ended().get(1L).reason();
            assertTrue(reason == FreeReason.DEADLINE || reason == FreeReason.LENGTH);
            inFlight += rig.counts.of(DepthCounts.Kind.OWNER_GONE_ENTRY) > 0 ? 1 : 0;
        }
        assertTrue(inFlight > 2, "expired in flight");
    }

    /** A preempted request that is cancelled before it leaves does not wait again. */
    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void shouldReplaceLeaveReasonByCancelOnce(final int depth)
    {
        final DepthRig rig = DepthRig.small(depth, 0, 0, 5);
        rig.submit(6, 6, -1).submit(5, 11, -1).fill();
        while (rig.counts.of(DepthCounts.Kind.PREEMPTION_IN_FLIGHT) == 0)
        {
            rig.complete(0);
            if (rig.counts.of(DepthCounts.Kind.PREEMPTION_IN_FLIGHT) == 0)
            {
                rig.fill();
            }
        }
        rig.cancel(2);
        rig.cancel(2).run();
        assertEquals(FreeReason.CANCELLED, rig.outputs().ended().get(2L).reason());
        assertEquals(0, rig.counts.of(DepthCounts.Kind.PREEMPTION), "it never waited again");
    }

    @Test
    void shouldRunToTheEndWithDeadEntriesInFlight()
    {
        final DepthRig rig = DepthRig.small(4, 0, 0, 9);
        rig.content.answer(1, 7);
        rig.submit(4, 20, 7).fill().complete(0);
        assertTrue(rig.outputs().live().isEmpty());
        assertEquals(3, rig.devices[0].inFlight());
        rig.run();
        assertEquals(3, rig.counts.of(DepthCounts.Kind.DEAD_ENTRY));
    }
}
