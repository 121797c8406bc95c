// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.capture;

import io.signalbox.ConfigException;
import io.signalbox.InvariantViolation;
import io.signalbox.experts.ModelShape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

class CaptureLayoutTest
{
    private static final ModelShape SHAPE = new ModelShape(40, 256, 8);

    @Test
    void shouldSayBeforehandWhatARingTakes()
    {
        final CaptureLayout layout = new CaptureLayout(SHAPE, 8192, 2);
        assertEquals(2L * 40 * 8192 * 8 * 2, layout.captureBytes());
        assertEquals(64 + 4 * 8192 + 8192L * 40 * 8, layout.resultStride());
        assertEquals(layout.captureBytes() + 2 * layout.resultStride() + 64 + 16 * 8192 + 64, layout.deviceBytes());
        assertEquals(2 * (layout.resultStride() + 64 + 16 * 8192 + 64), layout.pinnedBytes());
        assertEquals("15925504 bytes of device memory and 5570944 bytes of pinned memory (2 slots, 8192 tokens, " +
            "40 MoE layers, 8 of 256 experts)", layout.describe());
    }

    @Test
    void shouldTakeTwoBytesPerIdAboveTheByteBoundary()
    {
        assertEquals(1, new CaptureLayout(new ModelShape(1, 256, 8), 1, 2).idBytes());
        assertEquals(2, new CaptureLayout(new ModelShape(1, 257, 8), 1, 2).idBytes());
        assertEquals(2, new CaptureLayout(new ModelShape(1, 1 << 15, 8), 1, 2).idBytes());
    }

    @Test
    void shouldTakeHeaderAndTokensOnlyWhereCaptureIsOff()
    {
        final CaptureLayout layout = new CaptureLayout(null, 100, 2);
        assertFalse(layout.capturesRows());
        assertEquals(0, layout.captureBytes());
        assertEquals(64 + 448, layout.resultStride());
        assertEquals(64 + 64, layout.resultBytes(100, 16, 0));
    }

    @Test
    void shouldTakeRoomForCombineWeightsAndLogProbabilities()
    {
        final CaptureLayout layout = new CaptureLayout(SHAPE.withCombineWeights(true), 100, 3, 8);
        assertEquals(3L * 40 * 100 * 8 * 4, layout.weightsBytes());
        assertEquals(64 + 1216 + 100 * 40 * 8 * 5, layout.resultStride());
        assertEquals(64 + 64 + 2 * 40 * 8 * 5, layout.resultBytes(2, 5, 2));
        assertEquals(layout.captureBytes() + layout.weightsBytes() + 3 * layout.resultStride() + layout.stepStride() + 64,
            layout.deviceBytes());
        assertEquals(0, new CaptureLayout(SHAPE, 100, 3, 8).weightsBytes());
    }

    @Test
    void shouldRefuseWhatCannotBe()
    {
        assertRefused("captureRing.slots=1 is not between 2 and 16; give", () -> new CaptureLayout(SHAPE, 8, 1));
        assertRefused("captureRing.slots=17 is not", () -> new CaptureLayout(SHAPE, 8, 17));
        assertRefused("captureRing.maxTokens=0 is not between 1 and", () -> new CaptureLayout(SHAPE, 0, 2));
        assertRefused("experts=32769 cannot be captured as int16",
            () -> new CaptureLayout(new ModelShape(1, 32769, 8), 8, 2));
        assertRefused("captureRing.slots=2 for steps of captureRing.maxTokens=4194304",
            () -> new CaptureLayout(SHAPE, 1 << 22, 2));
        assertRefused("stepsInFlight=0 is not between 1 and 4", () -> EmulatedRing.settings(SHAPE, 8, 2, 0));
        assertRefused("stepsInFlight=3 is not between 1 and captureRing.slots=2",
            () -> EmulatedRing.settings(SHAPE, 8, 2, 3));
        assertRefused("stepsInFlight=5 is not between 1 and 4", () -> EmulatedRing.settings(SHAPE, 8, 8, 5));
    }

    private static void assertRefused(final String start, final Executable construction)
    {
        final String message = assertThrows(ConfigException.class, construction).getMessage();
        assertEquals(start, message.substring(0, Math.min(start.length(), message.length())));
    }

    @Test
    void shouldWriteAStepBlockAsTheKernelsReadIt()
    {
        final ByteBuffer memory = ByteBuffer.allocateDirect(256).order(ByteOrder.LITTLE_ENDIAN);
        final StepBlock block = new StepBlock(memory, 4);
        block.open(0x1_0000_0002L, 2, 1, 3, 0x77L);
        block.begin(5, 2, 1);
        block.token(0, 100, 10);
        block.token(1, 101, 11);
        block.entry(0, 1);
        block.bucket(4);
        assertEquals(0x1_0000_0002L, memory.getLong(0));
        assertEquals(2, memory.getInt(8));
        assertEquals(1, memory.getInt(12));
        assertEquals(1, memory.getInt(16));
        assertEquals(3, memory.getInt(20));
        assertEquals(5, memory.getInt(24));
        assertEquals(2, memory.getInt(28));
        assertEquals(0x77L, memory.getLong(32));
        assertEquals(4, memory.getInt(40));
        assertEquals(101, memory.getLong(64 + 8));
        assertEquals(11, memory.getInt(64 + 8 * 2 + 4));
        assertEquals(1, memory.getInt(64 + 12 * 2));
        assertEquals(64 + 12 * 2 + 4, block.usedBytes());
    }

    @Test
    void shouldRefuseAStepThatIsLargerThanTheRing()
    {
        final StepBlock block = new StepBlock(ByteBuffer.allocateDirect(256), 4);
        assertThrows(InvariantViolation.class, () -> block.begin(0, 5, 1));
        assertThrows(InvariantViolation.class, () -> block.begin(0, 4, 5));
        block.begin(0, 2, 1);
        assertThrows(InvariantViolation.class, () -> block.token(2, 0, 0));
        assertThrows(InvariantViolation.class, () -> block.entry(1, 0));
        assertThrows(InvariantViolation.class, () -> block.entry(0, 2));
    }
}
