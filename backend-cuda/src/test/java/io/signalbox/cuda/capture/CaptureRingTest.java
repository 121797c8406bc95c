// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.capture;

import io.signalbox.InvariantViolation;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.CudaDriver.Stream;
import io.signalbox.cuda.driver.EmulatedDriver;
import io.signalbox.cuda.driver.EmulatedDriver.Count;
import io.signalbox.cuda.driver.ForwardingDriver;
import io.signalbox.cuda.driver.PinnedMemory;
import io.signalbox.cuda.kernel.StepMemory;
import io.signalbox.experts.ModelShape;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

@Tag("threads")
class CaptureRingTest
{
    private static final ModelShape SHAPE = new ModelShape(3, 16, 2);
    private static final int MAX_TOKENS = 6;

    private final RecordedResults results = new RecordedResults();
    private EmulatedDevice device;

    @BeforeEach
    void open()
    {
        device = EmulatedDevice.open();
    }

    private EmulatedRing ring(final int slots, final int stepsInFlight)
    {
        return new EmulatedRing(device, EmulatedRing.settings(SHAPE, MAX_TOKENS, slots, stepsInFlight));
    }

    @Test
    void shouldBringTokensAndRowsOfAStep()
    {
        try (EmulatedRing rig = ring(2, 1))
        {
            assertNotNull(rig.tryStep(40, 5));
            assertEquals(1, rig.ring.poll(results));
            assertEquals(0, rig.ring.inFlight());
            assertNull(StepOracle.wrongTokens(40, 5, results.sampled.get(0), results.sampled.get(0).length));
            assertNull(StepOracle.wrongRows(rig.layout, 40, 5, results.lastRows()));
        }
        EmulatedDevice.assertNothingIsLeft();
    }

    @Test
    void shouldBringAStepWithoutTokens()
    {
        try (EmulatedRing rig = ring(2, 1))
        {
            rig.tryStep(1, 0);
            assertEquals(1, rig.ring.poll(results));
            assertEquals(0, results.lastRows().rowCount());
            assertEquals(List.of(), results.faults);
        }
    }

    @Test
    void shouldKeepAsManyStepsInFlightAsAreAllowed()
    {
        EmulatedDriver.stepped();
        for (int depth = 1; depth <= CaptureRingConfig.MAX_STEPS_IN_FLIGHT; depth++)
        {
            results.steps.clear();
            try (EmulatedRing rig = ring(5, depth))
            {
                for (int step = 0; step < depth; step++)
                {
                    assertNotNull(rig.tryStep(step, 2));
                }
                assertNull(rig.tryStep(depth, 2));
                assertEquals(0, rig.ring.poll(results));
                EmulatedDriver.advanceAll();
                assertEquals(depth, rig.ring.poll(results));
                assertEquals(List.of(0L, 1L, 2L, 3L).subList(0, depth), results.steps);
            }
        }
    }

    @Test
    void shouldTakeNoSlotWhoseRowsAreStillLent()
    {
        try (EmulatedRing rig = ring(2, 1))
        {
            step(rig, 0);
            step(rig, 1);
            assertNull(rig.tryStep(2, 2));
            results.rows.get(1).release();
            assertNull(rig.tryStep(2, 2), "slots are used in turn");
            results.rows.get(0).release();
            assertNotNull(rig.tryStep(2, 2));
        }
    }

    private void step(final EmulatedRing rig, final long step)
    {
        assertNotNull(rig.tryStep(step, 2));
        assertEquals(1, rig.ring.poll(results));
    }

    @Test
    void shouldRefuseASecondRelease()
    {
        try (EmulatedRing rig = ring(2, 1))
        {
            step(rig, 7);
            final CaptureSlice rows = results.lastRows();
            rows.release();
            final InvariantViolation twice = assertThrows(InvariantViolation.class, rows::release);
            assertEquals("the rows of step 7 in slot 0 of the capture ring were released twice", twice.getMessage());
        }
    }

    /** The rows in the slot by then belong to somebody else. */
    @Test
    void shouldRefuseAReleaseOfAnEarlierUse()
    {
        try (EmulatedRing rig = ring(2, 1))
        {
            step(rig, 1);
            final CaptureSlice rows = results.lastRows();
            results.releaseAll();
            step(rig, 2);
            step(rig, 3);
            assertThrows(InvariantViolation.class, rows::release);
            assertNull(rig.tryStep(4, 2), "slot 1 is lent");
        }
    }

    @Test
    void shouldTakeReleasesFromAnyThread() throws InterruptedException
    {
        try (EmulatedRing rig = ring(2, 1))
        {
            step(rig, 1);
            step(rig, 2);
            final Thread client = new Thread(results::releaseAll);
            client.start();
            client.join();
            step(rig, 3);
        }
    }

    @Test
    void shouldReleaseAfterTheRingIsClosed()
    {
        final EmulatedRing rig = ring(2, 1);
        step(rig, 1);
        rig.close();
        results.releaseAll();
        EmulatedDevice.assertNothingIsLeft();
    }

    @Test
    void shouldRefuseStepsOutOfTurn()
    {
        try (EmulatedRing rig = ring(3, 2))
        {
            final CaptureSlot slot = rig.ring.tryOpen(5);
            assertThrows(InvariantViolation.class, () -> rig.ring.tryOpen(6));
            assertThrows(InvariantViolation.class, () -> rig.ring.finish(slot));
            rig.ring.begin(slot, 1);
            assertThrows(InvariantViolation.class, () -> rig.ring.begin(slot, 1));
            rig.ring.finish(slot);
            assertThrows(InvariantViolation.class, () -> rig.ring.finish(slot));
            final InvariantViolation again = assertThrows(InvariantViolation.class, () -> rig.ring.tryOpen(5));
            assertEquals("step 5 of the capture ring was opened although it was not its turn: " +
                "the last one opened was step 5", again.getMessage());
        }
    }

    /** Fresh, between the rows that a step computed and the end of its views, and everywhere after the step. */
    @Test
    void shouldReadMinusOneWhereNothingWasWritten()
    {
        try (EmulatedRing rig = ring(2, 1))
        {
            final short[] fresh = rig.readCapture();
            assertArrayEquals(filled(fresh.length), fresh);
            final CaptureSlot slot = rig.ring.tryOpen(3);
            rig.fill(slot, 2);
            rig.ring.begin(slot, 4);
            rig.launchKernels(slot);
            final short[] written = rig.readCapture();
            final int viewIds = MAX_TOKENS * SHAPE.topK();
            for (int i = 0; i < 2 * SHAPE.moeLayers() * viewIds; i++)
            {
                final boolean computed = i / viewIds < SHAPE.moeLayers() && i % viewIds < 2 * SHAPE.topK();
                assertEquals(computed ? expected(3, i, viewIds) : -1, written[i], "element " + i);
            }
            rig.ring.finish(slot);
            assertArrayEquals(fresh, rig.readCapture());
        }
    }

    private static short[] filled(final int length)
    {
        final short[] values = new short[length];
        Arrays.fill(values, (short)-1);
        return values;
    }

    private static int expected(final long step, final int element, final int viewIds)
    {
        final int token = element % viewIds / SHAPE.topK();
        return StepOracle.id(SHAPE.experts(), step, token, element / viewIds, element % SHAPE.topK());
    }

    @Test
    void shouldBringExpertZero()
    {
        try (EmulatedRing rig = new EmulatedRing(device, EmulatedRing.settings(new ModelShape(2, 9, 1), 4, 2, 1)))
        {
            rig.idSource = (step, token, layer, k) -> 0;
            step(rig, 1);
            final CaptureSlice rows = results.lastRows();
            for (int i = 0; i < rows.rowCount() * rows.rowBytes(); i++)
            {
                assertEquals(0, rows.buffer().getByte(rows.offset() + i));
            }
        }
    }

    @Test
    void shouldGiveEachLayerAViewWithoutGapsAtAnAddressThatStays()
    {
        try (EmulatedRing rig = ring(2, 1))
        {
            final StepMemory before = rig.ring.stepMemory();
            for (int layer = 0; layer < SHAPE.moeLayers(); layer++)
            {
                final long viewBytes = 2L * MAX_TOKENS * SHAPE.topK();
                assertEquals(before.capture().address() + layer * viewBytes, before.layerView(layer).address());
                assertEquals(viewBytes, before.layerView(layer).bytes());
            }
            for (int step = 0; step < 20; step++)
            {
                step(rig, step);
                results.releaseAll();
            }
            final StepMemory after = rig.ring.stepMemory();
            assertEquals(before.step().address(), after.step().address());
            assertEquals(before.capture().address(), after.capture().address());
            assertEquals(before.results().address(), after.results().address());
        }
    }

    @Test
    void shouldTakeAndCopyNothingForRowsWhereCaptureIsOff()
    {
        try (EmulatedRing rig = new EmulatedRing(device, EmulatedRing.settings(null, MAX_TOKENS, 2, 2)))
        {
            assertNull(rig.ring.stepMemory().capture());
            assertEquals(3, EmulatedDriver.count(Count.DEVICE_ALLOCATIONS), "results, step block and its header");
            final long copied = EmulatedDriver.count(Count.BYTES_TO_HOST);
            final long launched = EmulatedDriver.calls("cuLaunchKernel");
            for (int step = 0; step < 5; step++)
            {
                step(rig, step);
                assertNull(results.lastRows());
                assertNull(StepOracle.wrongTokens(step, 2, results.sampled.get(step), results.sampled.get(step).length));
            }
            assertEquals(5 * (64 + 64), EmulatedDriver.count(Count.BYTES_TO_HOST) - copied, "header and tokens");
            assertEquals(5 * 3, EmulatedDriver.calls("cuLaunchKernel") - launched, "sample, pack, open");
        }
        EmulatedDevice.assertNothingIsLeft();
    }

    /** One token that decodes is a header, a request, a position and a row, whatever the most tokens of a step are. */
    @Test
    void shouldCopyNoMoreToTheDeviceThanAStepHas()
    {
        try (EmulatedRing rig = new EmulatedRing(device, EmulatedRing.settings(null, 8192, 2, 1)))
        {
            final long before = EmulatedDriver.count(Count.BYTES_TO_DEVICE);
            rig.tryStep(1, 1);
            assertEquals(64 + 8 + 4 + 4 + 64, EmulatedDriver.count(Count.BYTES_TO_DEVICE) - before,
                "the step block, and its header for the copy stream");
        }
    }

    /** Of the rows, those of the bucket are opened again: no other kernel writes more. */
    @Test
    void shouldRefuseABucketThatDoesNotHoldTheStep()
    {
        try (EmulatedRing rig = ring(2, 1))
        {
            final CaptureSlot slot = rig.ring.tryOpen(1);
            rig.fill(slot, 3);
            final InvariantViolation small = assertThrows(InvariantViolation.class, () -> rig.ring.begin(slot, 2));
            assertEquals("a step of 3 tokens was launched for 2, in a capture ring for steps of 6", small.getMessage());
        }
    }

    @Test
    void shouldCopyNoMoreThanAStepHas()
    {
        try (EmulatedRing rig = ring(2, 1))
        {
            final long before = EmulatedDriver.count(Count.BYTES_TO_HOST);
            rig.tryStep(1, 3);
            assertEquals(64 + 64 + 3 * SHAPE.rowBytes(), EmulatedDriver.count(Count.BYTES_TO_HOST) - before);
        }
    }

    @Test
    void shouldAskForTheEventWhereStreamsCannotWriteWords()
    {
        EmulatedDriver.offerStreamWrites(false);
        EmulatedDriver.stepped();
        try (EmulatedRing rig = ring(2, 2))
        {
            rig.tryStep(1, 3);
            assertEquals(0, rig.ring.poll(results));
            EmulatedDriver.advanceAll();
            assertEquals(1, rig.ring.poll(results));
            assertEquals(List.of(), results.faults);
        }
        EmulatedDevice.assertNothingIsLeft();
    }

    /** The event is the truth: without its word a step is late, not lost. */
    @Test
    void shouldReportAStepWhoseWordWasLost()
    {
        final CaptureRingConfig settings = EmulatedRing.settings(SHAPE, MAX_TOKENS, 2, 1);
        try (EmulatedRing rig = new EmulatedRing(device, settings, LostWords::new, SlotGuards::new))
        {
            rig.tryStep(1, 3);
            for (int i = 1; i < CaptureRing.POLLS_PER_QUERY; i++)
            {
                assertEquals(0, rig.ring.poll(results));
            }
            assertEquals(1, rig.ring.poll(results));
            assertEquals(List.of(), results.faults);
        }
    }

    @Test
    void shouldGoOnAfterStepsThatFailed()
    {
        try (EmulatedRing rig = ring(2, 1))
        {
            final EmulatedRing.IdSource good = rig.idSource;
            rig.idSource = (step, token, layer, k) -> 0;
            for (int step = 0; step < 4; step++)
            {
                step(rig, step);
            }
            assertEquals(4, results.faults.size());
            rig.idSource = good;
            step(rig, 4);
            assertNull(StepOracle.wrongRows(rig.layout, 4, 2, results.lastRows()));
        }
    }

    @Test
    void shouldNeverHaveGenerationZero()
    {
        assertEquals(5, CaptureSlot.generationOf(5));
        assertEquals(1, CaptureSlot.generationOf(1L << 32));
        assertEquals(-1, CaptureSlot.generationOf((1L << 32) - 1));
    }

    @Test
    void shouldGoOnWhereTheLowHalfOfStepNumbersStartsAgain()
    {
        try (EmulatedRing rig = ring(2, 1))
        {
            for (long step = (1L << 32) - 3; step < (1L << 32) + 4; step++)
            {
                step(rig, step);
                assertNull(StepOracle.wrongRows(rig.layout, step, 2, results.lastRows()));
                results.releaseAll();
            }
        }
    }

    /** Never writes a word, but for the zero of the probe. */
    private static final class LostWords extends ForwardingDriver
    {
        private LostWords(final CudaDriver driver)
        {
            super(driver);
        }

        @Override
        public void writeWord(final PinnedMemory word, final int value, final Stream stream)
        {
            super.writeWord(word, 0, stream);
        }
    }
}
