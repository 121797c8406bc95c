// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.experts.ModelShape;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;

/** Device memory of one rank, and the moves that tests of kernels make: a step in, launches, results out. */
final class KernelRig
{
    static final int MAX_TOKENS = 9;
    static final int LAYERS = 3;
    static final int SLOTS = 2;
    static final int SLOT = 1;
    static final int RANK = 3;
    static final long STEP = 0x1_0000_0005L;
    static final long FINGERPRINT = 0x0123_4567_89AB_CDEFL;
    private static final int STAGED_BYTES = 1 << 20;
    private static final int RESULT_BYTES = 4096;
    private static final int NOT_TOUCHED = 0x5A5A5A5A;

    private final DeviceRig device = new DeviceRig(STAGED_BYTES);
    final CudaDriver driver = device.driver;
    final CudaDriver.Stream stream = device.stream;
    private final int maxTokens;
    private final DeviceMemory step;
    private final DeviceMemory capture;
    private final DeviceMemory results = driver.allocate(SLOTS * RESULT_BYTES);

    private int bucket;

    KernelRig()
    {
        this(MAX_TOKENS);
    }

    KernelRig(final int maxTokens)
    {
        this.maxTokens = maxTokens;
        bucket = maxTokens;
        step = driver.allocate(64 + 16 * maxTokens);
        capture = driver.allocate((long)SLOTS * LAYERS * maxTokens * ExpertRouterSpec.MAX_TOP_K * Short.BYTES);
    }

    /** How many tokens the kernels of the next steps are launched for, as their blocks say. */
    void bucket(final int tokens)
    {
        bucket = tokens;
    }

    /** The launches for a router, on memory that no kernel has touched yet. */
    KernelLaunches launches(final ExpertRouterSpec spec, final boolean capturing)
    {
        driver.fill(capture, NOT_TOUCHED, capture.bytes() / Integer.BYTES, stream);
        driver.fill(results, NOT_TOUCHED, results.bytes() / Integer.BYTES, stream);
        final StepMemory memory = new StepMemory(step, capturing ? capture : null, results, RESULT_BYTES, null,
            new ModelShape(LAYERS, spec.experts(), spec.topK()), maxTokens);
        return new KernelLaunches(driver, device.module, memory);
    }

    /** Token i of request 100 + i at position 10 i; row r ends with token {@code lastTokens[r]}. */
    void writeStep(final int tokens, final int... lastTokens)
    {
        final ByteBuffer block = device.staged();
        block.putLong(0, STEP).putInt(8, tokens).putInt(12, lastTokens.length).putInt(16, SLOT).putInt(20, RANK);
        block.putInt(24, 1).putInt(28, (int)STEP).putLong(32, FINGERPRINT).putInt(40, bucket).putInt(52, 0);
        for (int i = 0; i < tokens; i++)
        {
            block.putLong(64 + 8 * i, request(i)).putInt(64 + 8 * tokens + 4 * i, position(i));
        }
        for (int row = 0; row < lastTokens.length; row++)
        {
            block.putInt(64 + 12 * tokens + 4 * row, lastTokens[row]);
        }
        device.upload(step, 64 + 16 * maxTokens);
    }

    static long request(final int token)
    {
        return 100 + token;
    }

    static int position(final int token)
    {
        return 10 * token;
    }

    void run(final CudaDriver.Launch launch)
    {
        driver.launch(launch, stream);
    }

    /** Logits {@code [n][experts]} in device memory of the router's type. */
    DeviceMemory uploadLogits(final ExpertRouterSpec spec, final float[][] logits)
    {
        final DeviceMemory memory = driver.allocate((long)logits.length * spec.experts() * spec.type().bytes());
        int at = 0;
        for (final float[] row : logits)
        {
            for (final float logit : row)
            {
                final int bits = Float.floatToRawIntBits(logit);
                if (spec.type() == LogitsType.BF16)
                {
                    device.staged().putShort(at, (short)(bits >>> 16));
                }
                else
                {
                    device.staged().putInt(at, bits);
                }
                at += spec.type().bytes();
            }
        }
        device.upload(memory, at);
        return memory;
    }

    /** Null for null. */
    DeviceMemory upload(final float[] values)
    {
        if (values == null)
        {
            return null;
        }
        final DeviceMemory memory = driver.allocate((long)values.length * Float.BYTES);
        for (int i = 0; i < values.length; i++)
        {
            device.staged().putFloat(Float.BYTES * i, values[i]);
        }
        device.upload(memory, values.length * Float.BYTES);
        return memory;
    }

    /** Words that no kernel has touched yet. */
    DeviceMemory words(final int count)
    {
        final DeviceMemory memory = driver.allocate((long)count * Integer.BYTES);
        driver.fill(memory, NOT_TOUCHED, count, stream);
        return memory;
    }

    void free(final DeviceMemory... memories)
    {
        for (final DeviceMemory memory : memories)
        {
            if (memory != null)
            {
                driver.free(memory);
            }
        }
    }

    /** The memory after all work of the stream; valid until the next move. */
    ByteBuffer download(final DeviceMemory memory)
    {
        return device.download(memory);
    }

    int[] downloadWords(final DeviceMemory memory, final int count)
    {
        final ByteBuffer bytes = device.download(memory);
        final int[] words = new int[count];
        for (int i = 0; i < count; i++)
        {
            words[i] = bytes.getInt(Integer.BYTES * i);
        }
        return words;
    }

    /** The view {@code [L][N][K]} of a slot. */
    short[] captureView(final int slot, final int topK)
    {
        final ByteBuffer bytes = device.download(capture);
        final short[] view = new short[LAYERS * maxTokens * topK];
        for (int i = 0; i < view.length; i++)
        {
            view[i] = bytes.getShort(Short.BYTES * (slot * view.length + i));
        }
        return view;
    }

    /** Overwrites one id of the step's slot. */
    void plant(final int topK, final int layer, final int token, final int k, final int id)
    {
        final ByteBuffer bytes = device.download(capture);
        final int index = (((SLOT * LAYERS + layer) * maxTokens) + token) * topK + k;
        bytes.putShort(Short.BYTES * index, (short)id);
        device.upload(capture, (int)capture.bytes());
    }

    ResultSlot result()
    {
        device.download(results);
        return new ResultSlot().wrap(new UnsafeBuffer(device.staged()), SLOT * RESULT_BYTES, RESULT_BYTES);
    }

    /** The fault of the result, null if none. */
    String fault()
    {
        return result().fault(STEP, RANK, (int)STEP, FINGERPRINT);
    }

    static boolean isUntouched(final short id)
    {
        return id == (short)NOT_TOUCHED;
    }
}
