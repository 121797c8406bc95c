// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.EmulatedDriver;
import io.signalbox.experts.ModelShape;
import io.signalbox.model.AttentionPlan;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ExpertsPlan;
import io.signalbox.model.ModelFamily;
import io.signalbox.model.WeightType;
import io.signalbox.model.forward.Precision;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

/** Keys and values of OLMoE-1B-7B's width in a pool of 64 GiB: offsets in bytes and in elements need more than 32 bits. */
class KvOffsetsTest
{
    private static final int HEADS = 16;
    private static final int HEAD = 128;
    private static final int WIDTH = HEADS * HEAD;
    private static final int BLOCK_TOKENS = 16;
    private static final int BLOCKS = 1 << 19;
    private static final long POOL_BYTES = (long)BLOCKS * BLOCK_TOKENS * WIDTH * Short.BYTES;
    /** Two pools of two layers are more than a device has, and pages exist from the first write. */
    private static final long DEVICE_BYTES = 4 * POOL_BYTES + (1 << 20);
    private static final int TOKENS = BLOCK_TOKENS + 1;
    private static final int FEED = 1024;
    private static final int STAGED = 1 << 18;

    private DeviceRig device;
    private CudaDriver driver;
    private DeviceMemory step;
    private DeviceMemory queries;
    private DeviceMemory keys;
    private DeviceMemory values;
    private DeviceMemory mixed;
    private DeviceMemory scores;
    private RopeMemory rope;
    private KvLayer all;
    private DecoderLaunches launches;

    @BeforeEach
    void open()
    {
        EmulatedDriver.assumeAvailable();
        EmulatedDriver.memoryBytes(DEVICE_BYTES + (64L << 20));
        device = new DeviceRig(STAGED);
        driver = device.driver;
        step = driver.allocate(2 * FEED);
        queries = driver.allocate((long)TOKENS * WIDTH * Float.BYTES);
        keys = driver.allocate(queries.bytes());
        values = driver.allocate(queries.bytes());
        mixed = driver.allocate(queries.bytes());
        scores = driver.allocate((long)DecoderLaunches.ATTENTION_BLOCKS * TOKENS * Float.BYTES);
        rope = new RopeMemory(driver.allocate((long)TOKENS * HEAD / 2 * Float.BYTES),
            driver.allocate((long)TOKENS * HEAD / 2 * Float.BYTES));
        all = new KvLayer(driver.allocate(2 * POOL_BYTES), driver.allocate(2 * POOL_BYTES), BLOCK_TOKENS);
        final StepMemory memory = new StepMemory(step, null, mixed, 64, null, new ModelShape(2, 8, 1), TOKENS);
        launches = new DecoderLaunches(driver, device.module, memory,
            DecoderPlan.of(ModelFamily.OLMOE, WeightType.BF16, 2, 8, 8, AttentionPlan.of(HEADS, HEADS, HEAD, 10_000.0),
                ExpertsPlan.softmax(8, 1, 8, false)), Precision.BF16, KernelFamily.EXACT);
        upload(rope.cosines(), TOKENS * HEAD / 2, 1.0f, 0.0f);
        upload(rope.sines(), TOKENS * HEAD / 2, 0.0f, 0.0f);
    }

    @Test
    void shouldReadInTheLastBlocksWhatItWroteThere()
    {
        final int wrapped = BLOCKS - 2 & (1 << 16) - 1;
        final byte[] before = block(1, wrapped);
        final float[] near = attended(0, 0, 1);
        final float[] far = attended(1, BLOCKS - 2, BLOCKS - 1);

        assertArrayEquals(near, far);
        assertNotEquals(0.0f, far[WIDTH + 1]);
        // Bytes of this block are 2^32 below a multiple of those of the last one.
        assertArrayEquals(before, block(1, wrapped), "an offset was cut to 32 bits");
    }

    /** A sequence of one block and one token more, in two blocks of a layer. */
    private float[] attended(final int layer, final int... table)
    {
        for (final DeviceMemory memory : List.of(queries, keys, values))
        {
            upload(memory, TOKENS * WIDTH, 0.25f, 1.0f / (1 << 10));
        }
        writeStep(table);
        final KvLayer kv = new KvLayer(all.keys().slice(layer * POOL_BYTES, POOL_BYTES),
            all.values().slice(layer * POOL_BYTES, POOL_BYTES), BLOCK_TOKENS);
        driver.launch(launches.place(
            queries, keys, values, new HeadNorms(null, null), rope, kv, TOKENS), device.stream);
        driver.launch(launches.attend(
            layer, queries, kv, null, scores, TOKENS, new Activations(mixed, null), TOKENS), device.stream);
        final float[] found = new float[TOKENS * WIDTH];
        final ByteBuffer bytes = device.download(mixed);
        bytes.duplicate().order(bytes.order()).clear().asFloatBuffer().get(found);
        return found;
    }

    private void upload(final DeviceMemory to, final int count, final float first, final float more)
    {
        for (int i = 0; i < count; i++)
        {
            device.staged().putFloat(Float.BYTES * i, first + i % 97 * more);
        }
        device.upload(to, (long)count * Float.BYTES);
    }

    private void writeStep(final int[] table)
    {
        final ByteBuffer block = device.staged();
        for (int i = 0; i < FEED + 512; i++)
        {
            block.put(i, (byte)0);
        }
        block.putInt(8, TOKENS).putInt(12, 0).putInt(44, FEED);
        for (int token = 0; token < TOKENS; token++)
        {
            block.putInt(64 + 8 * TOKENS + 4 * token, token);
        }
        for (int i = 0; i < table.length; i++)
        {
            block.putInt(FEED + 8 * TOKENS + 4 * i, table[i]);
        }
        device.upload(step, FEED + 512);
    }

    /** The keys of a block of a layer. */
    private byte[] block(final int layer, final int id)
    {
        final byte[] bytes = new byte[BLOCK_TOKENS * WIDTH * Short.BYTES];
        device.download(all.keys().slice(layer * POOL_BYTES + (long)id * bytes.length, bytes.length)).get(0, bytes);
        return Arrays.copyOf(bytes, bytes.length);
    }
}
