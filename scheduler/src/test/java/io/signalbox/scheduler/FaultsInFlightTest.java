// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.event.codec.FreeReason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A step fails while others of its rank are in flight. */
class FaultsInFlightTest
{
    private static final int BLOCKS = 33;

    private static DepthRig twoRequests(final int depth)
    {
        return DepthRig.small(depth, 2, 100, BLOCKS).submit(4, 9, -1).submit(5, 9, -1).fill();
    }

    @Test
    void shouldWithdrawLaterStepsOnceAndCommitEarlierOnes()
    {
        final DepthRig rig = twoRequests(4);
        rig.fail(0, rig.devices[0].inFlight(1));
        assertEquals(List.of("Withdrawn 2 by 2 STEP_FAILED", "Withdrawn 3 by 2 STEP_FAILED",
            "Withdrawn 4 by 2 STEP_FAILED"), rig.said());
        rig.complete(0);
        assertTrue(rig.said().get(0).startsWith("Commit 1: 1@0+4 emits"), () -> "" + rig.said());
        assertEquals(List.of("Requeued 2 STEP_WITHDRAWN", "Requeued 1 STEP_WITHDRAWN"), rig.said().subList(1, 3));
        assertTrue(rig.said().get(3).startsWith("Schedule 5: 1@"), () -> "in the order in which they ran: " + rig.said());
        rig.run();
    }

    /** Both lose steps, the first one also waits for its earlier one. */
    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void shouldKeepTheOrderOfRequestsAtAReset(final int depth)
    {
        final DepthRig rig = new DepthRig(DepthRig.smallConfig(depth, 0, BLOCKS).stepTokens(4).build(), 0);
        rig.outputs().trace();
        rig.submit(8, 2, -1).submit(5, 9, -1).submit(5, 9, -1).fill();
        for (int step = 1; step < 8; step++)
        {
            rig.completeAndFill();
        }
        final List<Long> before = List.copyOf(rig.outputs().live());
        rig.reset(true);
        final List<String> requeued = rig.said().stream().filter(line -> line.startsWith("Requeued")).toList();
        assertEquals(before.size(), requeued.size());
        for (int i = 0; i < before.size(); i++)
        {
            assertEquals("Requeued " + before.get(before.size() - 1 - i) + " STEP_WITHDRAWN", requeued.get(i));
        }
        rig.run();
    }

    @ParameterizedTest
    @EnumSource(value = ModelDefect.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void shouldRefuseACompletionThatCannotBeTrue(final ModelDefect defect)
    {
        for (final int depth : new int[] {1, 2, 4})
        {
            final DepthRig rig = twoRequests(depth);
            rig.complete(0, rig.devices[0].land(), defect);
            assertEquals("Withdrawn 1 by 1 STEP_FAILED", rig.said().get(0));
            rig.run();
            assertEquals(9, rig.emitted(1).size());
            assertEquals(9, rig.emitted(2).size());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void shouldRefuseCompletionOutOfOrder(final int depth)
    {
        final DepthRig rig = twoRequests(depth);
        rig.completeTooEarly(0, rig.devices[0].landSecond());
        assertEquals("Withdrawn 2 by 2 STEP_FAILED", rig.said().get(0));
        rig.run();
        assertEquals(9, rig.emitted(2).size());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void shouldIgnoreLateAndDuplicateCompletions(final int depth)
    {
        final DepthRig rig = twoRequests(depth);
        rig.fail(0, rig.devices[0].inFlight(0)).fill();
        rig.completeAndFill();
        final List<ModelDevice.Result> past = rig.devices[0].past();
        assertEquals(depth + 1, past.size(), "all steps of the fault, and one that landed");
        for (final ModelDevice.Result result : past)
        {
            final long ignored = rig.scheduler.ignoredCompletions();
            rig.complete(0, result, ModelDefect.NONE);
            assertEquals(List.of(), rig.said());
            assertEquals(ignored + 1, rig.scheduler.ignoredCompletions());
        }
        rig.run();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void shouldFailAfterBoundedTries(final int depth)
    {
        final DepthRig rig = new DepthRig(DepthRig.smallConfig(depth, 2, BLOCKS).maxFailures(2).build(), 100);
        rig.submit(4, 9, -1).fill();
        rig.fail(0, rig.devices[0].inFlight(0)).fill();
        rig.fail(0, rig.devices[0].inFlight(0));
        assertEquals(FreeReason.FAILED, rig.outputs().ended().get(1L).reason());
        rig.run();
    }

    /** The fence of a stopped request was a step that is withdrawn now: the step before it is the fence. */
    @Test
    void shouldMoveFencesOnWithdraw()
    {
        final DepthRig rig = DepthRig.small(4, 0, 0, BLOCKS);
        rig.content.answer(1, 7);
        rig.submit(4, 20, 7).fill().complete(0);
        assertEquals("Free 1 STOP fence 4", rig.said().get(1));
        rig.fail(0, rig.devices[0].inFlight(1));
        assertTrue(rig.scheduler.blocks(0).isRetiring(), "step 2 may still write");
        rig.complete(0);
        assertEquals(0, rig.scheduler.blocks(0).allocator().owned());
        rig.run();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void shouldRecoverWithStepsInFlight(final int depth)
    {
        for (final boolean kept : new boolean[] {false, true})
        {
            final DepthRig rig = new DepthRig(DepthRig.smallConfig(depth, 2, BLOCKS).ranks(2).build(), 100);
            rig.submit(4, 9, -1).submit(5, 9, -1).fill().launch(1);
            rig.timeOut(0, rig.devices[0].inFlight(0));
            assertEquals(0, rig.devices[0].inFlight());
            assertTrue(rig.devices[1].inFlight() > 0);
            rig.reset(kept).run();
            assertEquals(9, rig.emitted(1).size());
            assertEquals(9, rig.emitted(2).size());
        }
    }
}
