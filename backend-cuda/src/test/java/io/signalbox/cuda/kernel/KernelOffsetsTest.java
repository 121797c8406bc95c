// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.EmulatedDriver;
import io.signalbox.cuda.driver.JCudaBinding;
import io.signalbox.cuda.driver.PinnedMemory;
import io.signalbox.experts.ModelShape;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

/** Slots so far into their buffers that offsets in bytes and in elements need more than 32 bits. */
class KernelOffsetsTest
{
    private static final long DEVICE_BYTES = 139L << 30;
    private static final ExpertRouterSpec SPEC =
        ExpertRouterSpec.plain(128, 8, ExpertRouterMode.SOFTMAX_TOPK, LogitsType.BF16);
    private static final int MAX_TOKENS = 8192;
    private static final int LAYERS = 48;
    private static final int TOKENS = 3;
    private static final int SLOTS = 1401;
    private static final long SLOT_ELEMENTS = (long)LAYERS * MAX_TOKENS * SPEC.topK();
    private static final long RESULT_BYTES = 64 + 4L * MAX_TOKENS + SLOT_ELEMENTS;
    private static final int READ_BYTES = 64 + 64 + TOKENS * LAYERS * SPEC.topK();
    private static final int UNWRITTEN = 0xA5;
    private static final long STEP = 9;

    private final CudaDriver driver = new JCudaBinding();
    private CudaDriver.Stream stream;
    private PinnedMemory staged;
    private StepMemory memory;
    private KernelLaunches launches;

    @BeforeEach
    void open()
    {
        EmulatedDriver.assumeAvailable();
        EmulatedDriver.memoryBytes(DEVICE_BYTES);
        driver.load();
        driver.initialise();
        driver.makeCurrent(driver.retainPrimaryContext(0));
        stream = driver.createStream("compute");
        staged = driver.allocatePinned(64 + 16L * MAX_TOKENS);
        memory = new StepMemory(driver.allocate(staged.bytes()), driver.allocate(SLOTS * SLOT_ELEMENTS * Short.BYTES),
            driver.allocate(SLOTS * RESULT_BYTES), RESULT_BYTES, null, new ModelShape(LAYERS, SPEC.experts(), SPEC.topK()),
            MAX_TOKENS);
        launches = new KernelLaunches(driver, driver.loadModule(KernelImage.load().bytes()), memory);
    }

    @Test
    void shouldServeTheLastSlotAsTheFirst()
    {
        final byte[] untouched = new byte[READ_BYTES];
        Arrays.fill(untouched, (byte)UNWRITTEN);
        final byte[] last = run(SLOTS - 1);
        assertArrayEquals(untouched, result(0), "the last slot's result is in the first slot");
        assertArrayEquals(run(0), last);
        staged.buffer().put(0, last);
        final ResultSlot slot = new ResultSlot().wrap(new UnsafeBuffer(staged.buffer()), 0, READ_BYTES);
        assertNull(slot.fault(STEP, 0, (int)STEP, 0));
        assertEquals(TOKENS, slot.tokens());
    }

    private byte[] run(final int slot)
    {
        writeStep(slot);
        final DeviceMemory logits = driver.allocate((long)TOKENS * SPEC.experts() * SPEC.type().bytes());
        final ExpertRouterMemory router = new ExpertRouterMemory(logits, null, null, null);
        driver.launch(launches.slotOpen(), stream);
        for (int layer = 0; layer < LAYERS; layer++)
        {
            driver.launch(launches.seededLogits(new SeededLogits(7, 16), SPEC, logits, layer, TOKENS), stream);
            driver.launch(launches.routeCapturing(SPEC, router, layer, TOKENS), stream);
        }
        driver.launch(launches.sampleSeeded(5, TOKENS), stream);
        driver.launch(launches.packRows(SPEC.experts(), TOKENS), stream);
        driver.free(logits);
        return result(slot);
    }

    private void writeStep(final int slot)
    {
        final ByteBuffer block = staged.buffer();
        new UnsafeBuffer(block).setMemory(0, block.capacity(), (byte)0);
        block.putLong(0, STEP).putInt(8, TOKENS).putInt(12, TOKENS).putInt(16, slot).putInt(28, (int)STEP);
        for (int token = 0; token < TOKENS; token++)
        {
            block.putLong(64 + 8 * token, token).putInt(64 + 8 * MAX_TOKENS + 4 * token, token);
            block.putInt(64 + 12 * MAX_TOKENS + 4 * token, token);
        }
        driver.copyToDevice(memory.step(), staged, staged.bytes(), stream);
        driver.synchronize(stream);
    }

    private byte[] result(final int slot)
    {
        driver.copyToHost(staged, memory.results().slice(slot * RESULT_BYTES, READ_BYTES), READ_BYTES, stream);
        driver.synchronize(stream);
        final byte[] bytes = new byte[READ_BYTES];
        staged.buffer().get(0, bytes);
        return bytes;
    }
}
