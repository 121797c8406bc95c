// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.ConfigException;
import io.signalbox.batch.AdmissionPromise;
import io.signalbox.batch.UnderPressure;
import io.signalbox.event.codec.WeightsWay;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Requests for which no KV block is left: paused or recomputed, which one, and how often. The rig checks every decision. */
class MemoryPressureTest
{
    /**
     * Five blocks of four tokens. Request 1 needs its third block when request 2, which is younger, has taken the last one.
     */
    private static DepthRig rig(final int depth, final UnderPressure way, final int pausedBlocks)
    {
        final DepthRig rig = new DepthRig(DepthRig.smallConfig(depth, 0, 6)
            .set(BatchSettings.UNDER_PRESSURE, way).set(BatchSettings.PAUSED_BLOCKS, pausedBlocks).build(), 0);
        return rig.submit(4, 9, -1).submit(7, 6, -1);
    }

    /** Runs until a decision begins with the text. */
    private static DepthRig until(final DepthRig rig, final String start)
    {
        rig.fill();
        for (int i = 0; rig.said().stream().noneMatch(line -> line.startsWith(start)); i++)
        {
            assertTrue(i < 100, () -> "nothing leads to: " + start);
            rig.complete(0);
            if (rig.said().stream().noneMatch(line -> line.startsWith(start)))
            {
                rig.fill();
            }
        }
        return rig;
    }

    private static List<String> changes(final List<String> said)
    {
        return said.stream().filter(line -> !line.startsWith("Schedule") && !line.startsWith("Commit"))
            .map(line -> line.replaceAll(" fence .*", "")).toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void shouldPauseUntilABlockIsFree(final int depth)
    {
        final DepthRig rig = rig(depth, UnderPressure.PAUSE, 100);
        assertEquals(List.of("Paused 1", "Free 2 LENGTH", "Continued 1", "Free 1 LENGTH"),
            changes(OneRankPlay.toTheEnd(rig)));
        assertEquals(9, rig.emitted(1).size());
    }

    /** Request 1 has two blocks when it lacks one. */
    @ParameterizedTest
    @CsvSource({"0, false", "1, false", "2, true", "3, true"})
    void shouldRecomputeIfAPauseWouldPassTheLimit(final int limit, final boolean pauses)
    {
        final List<String> said = OneRankPlay.toTheEnd(rig(1, UnderPressure.PAUSE, limit));
        assertEquals(pauses, said.contains("Paused 1"));
        assertEquals(pauses, !said.contains("Requeued 2 PREEMPTED"));
        assertFalse(said.contains("Requeued 1 PREEMPTED"));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void shouldEndAPausedRequestThatIsCancelledOrTooLate(final int depth)
    {
        final DepthRig cancelled = until(rig(depth, UnderPressure.PAUSE, 100), "Paused 1").cancel(1);
        assertTrue(cancelled.said().contains("Free 1 CANCELLED"), cancelled.said().toString());
        cancelled.run();
        final DepthRig late = new DepthRig(
            DepthRig.smallConfig(depth, 0, 6).set(BatchSettings.UNDER_PRESSURE, UnderPressure.PAUSE).build(), 0);
        late.submit(new ModelContent.Prompt(0, 0, 4, 9, -1), 0, 1_000).submit(7, 6, -1);
        until(late, "Paused 1").tick(2_000);
        assertTrue(late.said().contains("Free 1 DEADLINE"), late.said().toString());
        late.run();
    }

    @ParameterizedTest
    @CsvSource({"1, true", "1, false", "4, true", "4, false"})
    void shouldRequeueAPausedRequestWhenTheBackendIsReset(final int depth, final boolean kvMemoryKept)
    {
        final DepthRig rig = until(rig(depth, UnderPressure.PAUSE, 100), "Paused 1").reset(kvMemoryKept);
        assertTrue(rig.said().contains("Requeued 1 STEP_WITHDRAWN"), rig.said().toString());
        assertEquals(List.of(), rig.paused());
        rig.run();
        assertEquals(9, rig.emitted(1).size());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void shouldKeepAPausedRequestThroughTheFaultOfAStep(final int depth)
    {
        final DepthRig rig = until(rig(depth, UnderPressure.PAUSE, 100), "Paused 1");
        rig.fill();
        rig.fail(0, rig.devices[0].inFlight(0));
        assertFalse(rig.said().contains("Requeued 1 STEP_WITHDRAWN"), "no step in flight computed it");
        rig.run();
        assertEquals(9, rig.emitted(1).size());
    }

    /** Request 1, which is paused, waits again at once; request 2 when its step has landed. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void shouldKeepTheOrderOfArrivalIfNewWeightsRequeue(final int depth)
    {
        final DepthRig rig = new DepthRig(
            DepthRig.smallConfig(depth, 0, 6).set(BatchSettings.UNDER_PRESSURE, UnderPressure.PAUSE).build(), 0);
        until(rig.submit(4, 9, -1).submit(7, 9, -1), "Paused 1").fill();
        rig.newWeights(WeightsWay.REQUEUE);
        assertTrue(rig.said().contains("Requeued 1 NEW_WEIGHTS"), rig.said().toString());
        while (!rig.said().contains("Requeued 2 NEW_WEIGHTS"))
        {
            rig.complete(0);
        }
        rig.fill();
        assertEquals(1, rig.devices[0].inFlight(0).entries().get(0).requestId());
        rig.run();
    }

    /** The oldest request has the lowest priority. It waits again behind a request of a higher one. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldPreemptTheLowestPriorityAndLetItWaitBehindHigherOnes(final int depth)
    {
        final DepthRig rig = new DepthRig(DepthRig.smallConfig(depth, 0, 6).maxRunning(8).build(), 0);
        rig.submit(new ModelContent.Prompt(0, 0, 4, 9, -1), 0, -1).fill();
        rig.submit(new ModelContent.Prompt(0, 0, 7, 6, -1), 2, -1);
        rig.submit(new ModelContent.Prompt(0, 0, 12, 4, -1), 1, -1);
        final List<String> changes = changes(OneRankPlay.toTheEnd(rig));
        assertEquals(List.of("Requeued 1 PREEMPTED", "Free 2 LENGTH", "Free 3 LENGTH", "Free 1 LENGTH"),
            changes.subList(changes.indexOf("Requeued 1 PREEMPTED"), changes.size()));
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "1, 1", "2, 1", "1, 4"})
    void shouldPreemptNoRequestMoreOftenThanTheBound(final int bound, final int depth)
    {
        final DepthRig rig = new DepthRig(DepthRig.smallConfig(depth, 0, 6).set(BatchSettings.MAX_PREEMPTIONS, bound)
            .build(), 0);
        for (int i = 0; i < 12; i++)
        {
            rig.submit(2 + i % 5, 12, -1);
        }
        final List<String> said = OneRankPlay.toTheEnd(rig);
        for (int id = 1; id <= 12; id++)
        {
            final String line = "Requeued " + id + " PREEMPTED";
            assertTrue(said.stream().filter(line::equals).count() <= bound, line);
            assertEquals(12, rig.emitted(id).size());
        }
        assertEquals(bound > 0, said.stream().anyMatch(line -> line.startsWith("Requeued")));
    }

    /** The long prompt is computed in chunks. Without a promise another request takes the blocks of its later ones. */
    @ParameterizedTest
    @CsvSource({"NOTHING, true", "WHOLE, false"})
    void shouldKeepTheBlocksOfAPromptThatIsComputedInChunks(final AdmissionPromise promise, final boolean preempts)
    {
        final DepthRig rig = new DepthRig(DepthRig.smallConfig(1, 0, 6).set(BatchSettings.ADMISSION_PROMISE, promise)
            .set(BatchSettings.LONG_PREFILL_TOKENS, 8).build(), 0);
        final List<String> said = OneRankPlay.toTheEnd(rig.submit(16, 2, -1).submit(8, 6, -1));
        assertEquals(preempts, said.contains("Requeued 2 PREEMPTED"));
    }

    @Test
    void shouldNeverPreemptIfTheWholeOutputIsPromised()
    {
        final DepthRig rig = new DepthRig(
            DepthRig.smallConfig(2, 0, 6).set(BatchSettings.ADMISSION_PROMISE, AdmissionPromise.WHOLE).build(), 0);
        for (int i = 0; i < 12; i++)
        {
            rig.submit(2 + i % 5, 12, -1);
        }
        assertTrue(OneRankPlay.toTheEnd(rig).stream().noneMatch(line -> line.startsWith("Requeued")));
    }

    @Test
    void shouldLetShortPromptsPassLongOnes()
    {
        final DepthRig rig = DepthRig.traced(DepthRig.smallConfig(1, 0, 30)
            .set(BatchSettings.LONG_PREFILL_TOKENS, 4).set(BatchSettings.MAX_LONG_PREFILLS, 1));
        rig.submit(10, 2, -1).submit(10, 2, -1).submit(3, 2, -1).wake();
        assertEquals("Schedule 1: 1@0+4 <4; 3@0+3 <3", rig.said().get(rig.said().size() - 1));
        rig.fill().run();
    }

    @Test
    void shouldRefuseToSwapByName()
    {
        final ConfigException refused = assertThrows(ConfigException.class,
            () -> BatchSettings.UNDER_PRESSURE.parse("SWAP"));
        assertEquals("underPressure=SWAP is not one of RECOMPUTE, PAUSE; give one of them; no KV block moves to host " +
            "memory.", refused.getMessage());
    }
}
