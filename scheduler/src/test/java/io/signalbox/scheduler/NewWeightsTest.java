// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.InvariantViolation;
import io.signalbox.event.codec.FreeReason;
import io.signalbox.event.codec.WeightsWay;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** New weights while steps are in flight. The rig compares every token and row with those of the weights of its step. */
class NewWeightsTest
{
    private static final int EVENTS = 30;

    /** Two requests that share a prompt block; plays so many events of their lives. */
    private static DepthRig play(final int depth, final int events)
    {
        final DepthRig rig = DepthRig.small(depth, 2, 50, 9);
        rig.submit(new ModelContent.Prompt(3, 4, 6, 9, -1), 0, -1);
        rig.submit(new ModelContent.Prompt(3, 4, 7, 9, -1), 0, -1);
        return OneRankPlay.events(rig, events);
    }

    /** A request may fail twice under each generation of weights. The second failed step was planned with former ones. */
    @Test
    void shouldCountFailuresUnderNewWeightsAnew()
    {
        final DepthRig rig = new DepthRig(DepthRig.smallConfig(1, 0, 9).maxFailures(3).build(), 0);
        rig.submit(6, 3, -1).fill();
        rig.fail(0, rig.devices[0].inFlight(0)).newWeights(WeightsWay.CONTINUE);
        for (int failure = 2; failure < 5; failure++)
        {
            rig.fill();
            rig.fail(0, rig.devices[0].inFlight(0));
            assertFalse(rig.said().contains("Free 1 FAILED"), "failure " + failure);
        }
        rig.fill();
        rig.fail(0, rig.devices[0].inFlight(0));
        assertTrue(rig.said().contains("Free 1 FAILED"), rig.said().toString());
        rig.run();
    }

    private static List<Integer> generations(final int first, final int former, final int later)
    {
        final List<Integer> generations = new ArrayList<>(Collections.nCopies(former, first));
        generations.addAll(Collections.nCopies(later, first + 1));
        return generations;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void shouldFinishOnNewWeightsAtEveryEventOfALife(final int depth)
    {
        int mixed = 0;
        for (int event = 0; event < EVENTS; event++)
        {
            final DepthRig rig = play(depth, event);
            rig.newWeights(WeightsWay.CONTINUE).run();
            assertEquals(FreeReason.LENGTH, rig.outputs().ended().get(1L).reason());
            assertEquals(FreeReason.LENGTH, rig.outputs().ended().get(2L).reason());
            mixed += rig.counts.of(DepthCounts.Kind.MIXED_WEIGHTS) > 0 ? 1 : 0;
            assertEquals(0, rig.counts.of(DepthCounts.Kind.PREEMPTION));
        }
        assertTrue(mixed > 5, "replaced in the middle of a life");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void shouldAbortAtEveryEventOfALife(final int depth)
    {
        int inFlight = 0;
        for (int event = 0; event < EVENTS; event++)
        {
            final DepthRig rig = play(depth, event);
            rig.newWeights(WeightsWay.ABORT).run();
            inFlight += rig.counts.of(DepthCounts.Kind.OWNER_GONE_ENTRY) > 0 ? 1 : 0;
            for (final long id : List.of(1L, 2L))
            {
                final FreeReason reason = rig.outputs().ended().get(id).reason();
                assertTrue(reason == FreeReason.LENGTH || reason == FreeReason.NEW_WEIGHTS);
            }
            assertEquals(0, rig.counts.of(DepthCounts.Kind.MIXED_WEIGHTS), "no result mixes weights");
        }
        assertTrue(inFlight > 2, "aborted in flight");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void shouldRequeueAtEveryEventOfALife(final int depth)
    {
        int requeued = 0;
        for (int event = 0; event < EVENTS; event++)
        {
            final DepthRig rig = play(depth, event);
            rig.newWeights(WeightsWay.REQUEUE).run();
            assertEquals(FreeReason.LENGTH, rig.outputs().ended().get(1L).reason());
            assertEquals(FreeReason.LENGTH, rig.outputs().ended().get(2L).reason());
            requeued += rig.counts.of(DepthCounts.Kind.NEW_WEIGHTS_REQUEUE) > 0 ? 1 : 0;
        }
        assertTrue(requeued > 5, "requeued in flight");
    }

    /** A step that was planned before completes a block after: nobody may find it. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void shouldNotRegisterAfterNewWeights(final int depth)
    {
        final DepthRig rig = DepthRig.small(depth, 0, 0, 20);
        rig.submit(new ModelContent.Prompt(3, 8, 8, 6, -1), 0, -1).fill().newWeights(WeightsWay.CONTINUE).completeAndFill();
        rig.submit(new ModelContent.Prompt(3, 8, 9, 2, -1), 0, -1).run();
        assertEquals(0, rig.counts.of(DepthCounts.Kind.MATCHED_BLOCK), "matches across weights");
        rig.submit(new ModelContent.Prompt(3, 8, 9, 2, -1), 0, -1).run();
        assertEquals(2, rig.counts.of(DepthCounts.Kind.MATCHED_BLOCK), "matches within one generation");
    }

    @Test
    void shouldKeepCachedPrefixesOfFormerWeightsFromLaterRequests()
    {
        final DepthRig rig = DepthRig.small(1, 0, 0, 20);
        rig.submit(new ModelContent.Prompt(3, 8, 8, 1, -1), 0, -1).run().newWeights(WeightsWay.REQUEUE);
        rig.submit(new ModelContent.Prompt(3, 8, 9, 1, -1), 0, -1).run();
        assertEquals(0, rig.counts.of(DepthCounts.Kind.MATCHED_BLOCK));
        assertEquals(Collections.nCopies(9, 1), rig.weights.rows(2));
    }

    /** Rows that were paired with a token that the client has stay; later ones are of the new weights. */
    @Test
    void shouldKeepRowsOfEmittedTokensWhenRequeued()
    {
        final DepthRig rig = DepthRig.small(1, 0, 0, 20);
        rig.submit(6, 4, -1).fill().completeAndFill().newWeights(WeightsWay.REQUEUE).run();
        // In flight with the former weights: position 6, behind which they sampled the second token.
        assertEquals(generations(0, 7, 2), rig.weights.rows(1));
        assertEquals(generations(0, 2, 2), rig.weights.tokens(1));
    }

    @Test
    void shouldDropRowsThatNoTokenDependsOnWhenRequeued()
    {
        final DepthRig rig = DepthRig.small(1, 0, 0, 20);
        rig.submit(20, 2, -1).fill().newWeights(WeightsWay.REQUEUE).run();
        assertEquals(Collections.nCopies(21, 1), rig.weights.rows(1));
    }

    /** A prompt of two chunks, the first of them computed with the former weights. */
    @Test
    void shouldTellTheSpansOfAPromptThatFinishesOnNewWeights()
    {
        final DepthRig rig = DepthRig.small(1, 0, 0, 20);
        rig.submit(20, 2, -1).fill().newWeights(WeightsWay.CONTINUE).run();
        assertEquals(generations(0, 16, 5), rig.weights.rows(1));
    }

    /** Cancel beats the end by new weights; a second change of weights changes nothing. */
    @Test
    void shouldReplaceTheReasonByCancelOnce()
    {
        final DepthRig rig = DepthRig.small(2, 0, 0, 20);
        rig.submit(6, 9, -1).fill().newWeights(WeightsWay.ABORT);
        rig.newWeights(WeightsWay.ABORT).cancel(1).run();
        assertEquals(FreeReason.CANCELLED, rig.outputs().ended().get(1L).reason());
    }

    @Test
    void shouldKeepRowsOfEndedRequestsReadable()
    {
        final DepthRig rig = DepthRig.small(2, 0, 0, 9);
        rig.submit(6, 9, -1).run();
        for (final WeightsWay way : List.of(WeightsWay.CONTINUE, WeightsWay.ABORT, WeightsWay.REQUEUE))
        {
            // Takes every block of the pool, those of the first request included.
            rig.newWeights(way).submit(20, 9, -1).run();
        }
        assertEquals(Collections.nCopies(14, 0), rig.weights.rows(1));
        rig.outputs().checkRowsAgain();
    }

    @ParameterizedTest
    @EnumSource(value = WeightsWay.class, names = {"NONE", "NULL_VAL"})
    void shouldStopOnAControlThatSaysNoWay(final WeightsWay way)
    {
        final DepthRig rig = DepthRig.small(1, 0, 0, 9);
        assertThrows(InvariantViolation.class, () -> rig.newWeights(way));
    }
}
