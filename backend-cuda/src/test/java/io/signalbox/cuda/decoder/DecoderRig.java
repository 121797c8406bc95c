// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.decoder;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.kernel.CaptureForm;
import io.signalbox.cuda.kernel.DeviceRig;
import io.signalbox.cuda.kernel.KernelFamily;
import io.signalbox.cuda.kernel.ResultSlot;
import io.signalbox.cuda.kernel.StepMemory;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.forward.Precision;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** A decoder in device memory, and the moves of tests: a step in, its kernels, results out. */
final class DecoderRig implements AutoCloseable
{
    static final int MAX_TOKENS = 24;
    static final int BLOCK_SIZE = 4;
    static final int MAX_POSITIONS = 320;
    private static final int BLOCKS = 200;
    private static final int SLOTS = 2;
    private static final int HEADER_BYTES = 64;
    private static final int FEED_OFFSET = 44;
    private static final int EXTRA_WORDS_OFFSET = 52;
    private static final int STAGED_BYTES = 1 << 20;
    private static final int RESULT_BYTES = 4096;

    /** A token of a step: id, position, the blocks of its sequence, and whether its logits are wanted. */
    record Token(int id, int position, int[] table, boolean sampled)
    {
    }

    private final DeviceRig device = new DeviceRig(STAGED_BYTES);
    private final CudaDriver driver = device.driver;
    private final DeviceMemory block = driver.allocate(1 << 16);
    private final DeviceMemory results = driver.allocate(SLOTS * RESULT_BYTES);
    private final DecoderPlan plan;
    private final DecoderWeights weights;
    private final DecoderStep decoder;

    DecoderRig(final ModelWeights model, final Precision precision)
    {
        this(model, precision, KernelFamily.EXACT, BLOCK_SIZE);
    }

    DecoderRig(final ModelWeights model, final Precision precision, final KernelFamily family)
    {
        this(model, precision, family, BLOCK_SIZE);
    }

    DecoderRig(final ModelWeights model, final Precision precision, final KernelFamily family, final int blockSize)
    {
        plan = model.plan();
        final StepMemory memory = new StepMemory(block, null, results, RESULT_BYTES, null, plan.shape(), MAX_TOKENS);
        weights = DecoderWeights.load(driver, device.module, model, family);
        decoder = new DecoderStep(driver, device.module, plan, precision, family, (CaptureForm)null, memory,
            new DecoderSizes(BLOCKS, blockSize, MAX_POSITIONS, SLOTS, MAX_TOKENS, false));
    }

    /** Computes a step with the kernels of a bucket of at least its tokens. */
    void run(final List<Token> tokens, final int bucket)
    {
        write(tokens, bucket);
        driver.fill(results, 0, results.bytes() / Integer.BYTES, device.stream);
        for (final CudaDriver.Launch launch : decoder.launches(weights, bucket))
        {
            driver.launch(launch, device.stream);
        }
        driver.synchronize(device.stream);
    }

    private void write(final List<Token> tokens, final int bucket)
    {
        final int n = tokens.size();
        final List<Integer> last = new ArrayList<>();
        final ByteBuffer bytes = device.staged();
        for (int i = 0; i < n; i++)
        {
            bytes.putInt(HEADER_BYTES + 8 * n + 4 * i, tokens.get(i).position());
            if (tokens.get(i).sampled())
            {
                bytes.putInt(HEADER_BYTES + 12 * n + 4 * last.size(), i);
                last.add(i);
            }
        }
        final int sampling = (HEADER_BYTES + 12 * n + 4 * last.size() + 7) / 8 * 8;
        for (int i = 0; i < last.size(); i++)
        {
            bytes.putFloat(sampling + 24 * i, 0.0f);
        }
        final int feed = sampling + 24 * last.size();
        bytes.putLong(0, 7).putInt(8, n).putInt(12, last.size()).putInt(16, 1).putInt(40, bucket);
        bytes.putInt(FEED_OFFSET, sampling).putInt(FEED_OFFSET + 4, 0);
        bytes.putInt(EXTRA_WORDS_OFFSET, 2);
        int blocks = 0;
        for (int i = 0; i < n; i++)
        {
            bytes.putInt(feed + 4 * i, tokens.get(i).id()).putInt(feed + 4 * (n + i), blocks);
            for (final int id : tokens.get(i).table())
            {
                bytes.putInt(feed + 4 * (2 * n + blocks++), id);
            }
        }
        device.upload(block, feed + 4L * (2 * n + blocks));
    }

    /** Logits of an entry of the last step. */
    float[] logits(final int entry)
    {
        return floats(decoder.logits(), entry * plan.vocabulary(), plan.vocabulary());
    }

    /** The result of the last step, as far as its kernels have written it. */
    ResultSlot result(final int entries)
    {
        final ByteBuffer bytes = device.download(results);
        bytes.putInt(RESULT_BYTES + 16, entries);
        return new ResultSlot().wrap(new UnsafeBuffer(bytes), RESULT_BYTES, RESULT_BYTES);
    }

    /** Routed experts of a token of the last step, {@code [MoE layer][k]}. */
    int[] experts(final int token)
    {
        final int k = plan.experts().topK();
        final int layers = plan.moeLayers().size();
        final int[] ids = new int[layers * k];
        final ByteBuffer bytes = device.download(decoder.expertIds());
        for (int i = 0; i < ids.length; i++)
        {
            ids[i] = bytes.getInt(4 * (i / k * MAX_TOKENS * k + token * k + i % k));
        }
        return ids;
    }

    /** The weights of these before they are rounded. */
    float[] expertWeights(final int token)
    {
        final int k = plan.experts().topK();
        final int layers = plan.moeLayers().size();
        final float[] found = new float[layers * k];
        for (int layer = 0; layer < layers; layer++)
        {
            final float[] row = floats(decoder.expertWeights(), (layer * MAX_TOKENS + token) * k, k);
            System.arraycopy(row, 0, found, layer * k, k);
        }
        return found;
    }

    private float[] floats(final DeviceMemory memory, final int from, final int count)
    {
        final ByteBuffer bytes = device.download(memory);
        final float[] values = new float[count];
        for (int i = 0; i < count; i++)
        {
            values[i] = bytes.getFloat(4 * (from + i));
        }
        return values;
    }

    @Override
    public void close()
    {
        decoder.close();
        weights.close();
    }
}
