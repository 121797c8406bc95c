// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** When a step is planned. */
class PlanningInFlightTest
{
    private static final int BLOCKS = 33;

    private static List<String> schedules(final DepthRig rig)
    {
        return rig.said().stream().filter(line -> line.startsWith("Schedule")).toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void shouldPlanOnForwardUpToTheDepth(final int depth)
    {
        final DepthRig rig = DepthRig.small(depth, 0, 0, BLOCKS).submit(4, 30, -1).wake();
        assertEquals(1, schedules(rig).size());
        for (int step = 1; step <= depth; step++)
        {
            assertEquals(step < depth ? 1 : 0, schedules(rig.launch(0)).size());
        }
        assertFalse(rig.scheduler.wantsWake());
        rig.run();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void shouldStayAtDepthOneWithoutForward(final int depth)
    {
        final DepthRig rig = DepthRig.small(depth, 0, 0, BLOCKS).submit(4, 30, -1).wake();
        rig.submit(4, 30, -1).wake();
        rig.tick(1);
        assertEquals(List.of(), schedules(rig));
        assertFalse(rig.scheduler.wantsWake());
        rig.run();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void shouldAdmitNewRequestIntoNextStep(final int depth)
    {
        final DepthRig rig = DepthRig.small(depth, 0, 0, BLOCKS).submit(4, 30, -1).wake();
        rig.submit(4, 30, -1).launch(0);
        assertEquals(List.of("Schedule 2: 1@4+1 <5 after 1/0; 2@0+4 <4"), schedules(rig));
        rig.run();
    }

    @Test
    void shouldNotCountStoppedRequestAsLoad()
    {
        final DepthRig rig = DepthRig.small(4, 0, 0, BLOCKS);
        rig.content.answer(1, 7);
        rig.submit(4, 20, 7).fill().complete(0);
        assertEquals(0, rig.scheduler.load(0).activeRequests());
        assertEquals(0, rig.scheduler.load(0).contextTokens());
        rig.run();
    }

    private static DepthRig lockStep(final int depth)
    {
        final DepthRig rig = new DepthRig(DepthRig.smallConfig(depth, 0, BLOCKS).ranks(2).lockStep(true).build(), 0);
        rig.outputs().trace();
        return rig;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void shouldSendEmptyPlansInLockStepAndKeepItsWindow(final int depth)
    {
        final DepthRig rig = lockStep(depth).submit(4, 30, -1).wake();
        assertEquals(List.of("Schedule 1: 1@0+4 <4", "Schedule 1: nothing"), schedules(rig));
        for (int step = 1; step < depth; step++)
        {
            assertEquals(List.of(), schedules(rig.launch(0)), "the other rank has not begun step " + step);
            assertEquals(2, schedules(rig.launch(1)).size());
        }
        rig.launch(0).launch(1);
        assertEquals(List.of(), schedules(rig.complete(0)), "the other rank has " + depth + " steps in flight");
        assertEquals(2, schedules(rig.complete(1)).size());
        rig.run();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void shouldKeepStepsOfOtherRanksInLockStep(final int depth)
    {
        final DepthRig rig = lockStep(depth).submit(4, 30, -1).submit(4, 30, -1).wake();
        rig.launch(0).launch(1);
        rig.fail(0, rig.devices[0].inFlight(0));
        assertEquals(2, rig.devices[1].inFlight(), "the steps of the other rank stay");
        rig.run();
        assertEquals(30, rig.emitted(1).size());
        assertEquals(30, rig.emitted(2).size());
        assertTrue(rig.counts.of(DepthCounts.Kind.WITHDRAWN_STEP) > 0);
    }
}
