// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.KernelArguments;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/** Weights and vectors in device memory, and the products of kernels with them, which are not rounded. */
final class TensorRig
{
    private static final int STAGED_BYTES = 1 << 22;
    private static final int STEP_BYTES = 64;
    private static final int NO_NUMBER = 0x7FC00000;
    /** More than one task for each of some blocks, and blocks without any. */
    private static final int BLOCKS = 7;

    private final DeviceRig device = new DeviceRig(STAGED_BYTES);
    private final CudaDriver driver = device.driver;

    /** Values that bf16 holds. */
    static float[] values(final int count, final SplittableRandom random)
    {
        final float[] values = new float[count];
        for (int i = 0; i < count; i++)
        {
            values[i] = Float.intBitsToFloat(Float.floatToRawIntBits((float)random.nextDouble(-1, 1)) & 0xFFFF0000);
        }
        return values;
    }

    private DeviceMemory weights(final float[] values)
    {
        for (int i = 0; i < values.length; i++)
        {
            device.staged().putShort(Short.BYTES * i, (short)(Float.floatToRawIntBits(values[i]) >>> 16));
        }
        return upload(Short.BYTES * values.length);
    }

    private DeviceMemory floats(final float[] values)
    {
        for (int i = 0; i < values.length; i++)
        {
            device.staged().putFloat(Float.BYTES * i, values[i]);
        }
        return upload(Float.BYTES * values.length);
    }

    private DeviceMemory words(final int... values)
    {
        for (int i = 0; i < values.length; i++)
        {
            device.staged().putInt(Integer.BYTES * i, values[i]);
        }
        return upload(Integer.BYTES * values.length);
    }

    private DeviceMemory upload(final int bytes)
    {
        final DeviceMemory memory = driver.allocate(bytes);
        device.upload(memory, bytes);
        return memory;
    }

    private DeviceMemory step(final int tokens)
    {
        final int[] header = new int[STEP_BYTES / Integer.BYTES];
        header[2] = tokens;
        return words(header);
    }

    /** {@code [count][rows]}. */
    float[] linear(
        final String kernel, final int sharedBytes, final float[] weights, final int rows, final float[] in, final int count)
    {
        final DeviceMemory out = target(count * rows);
        final int columns = weights.length / rows;
        return run(kernel, sharedBytes, out, new KernelArguments(8).pointer(step(count)).pointer(weights(weights))
            .int32(rows).int32(columns).pointer(floats(in)).int32(0).int32(0).pointer(out));
    }

    /** {@code [place][width]}. */
    float[] expertUp(
        final TensorTile tile, final float[] gates, final float[] others, final int width, final int hidden,
        final int[] starts, final int[] tokens, final float[] in)
    {
        final DeviceMemory inner = target(tokens.length * width);
        return run(tile.kernel(KernelNames.TENSOR_EXPERT_UP), tile.pairsBytes(), inner, new KernelArguments(11)
            .pointer(step(1)).pointer(weights(gates)).pointer(weights(others)).int32(starts.length - 1).int32(width)
            .int32(hidden).pointer(words(starts)).pointer(words(tokens)).pointer(floats(in)).int32(0).pointer(inner));
    }

    /** {@code [place][hidden]}. */
    float[] expertDown(
        final TensorTile tile, final float[] weights, final int width, final int hidden, final int[] starts,
        final float[] inner)
    {
        final DeviceMemory outputs = target(inner.length / width * hidden);
        return run(tile.kernel(KernelNames.TENSOR_EXPERT_DOWN), tile.linearBytes(), outputs, new KernelArguments(9)
            .pointer(step(1)).pointer(weights(weights)).int32(starts.length - 1).int32(width).int32(hidden)
            .pointer(words(starts)).pointer(floats(inner)).int32(0).pointer(outputs));
    }

    private DeviceMemory target(final int count)
    {
        final DeviceMemory memory = driver.allocate((long)count * Float.BYTES);
        driver.fill(memory, NO_NUMBER, count, device.stream);
        return memory;
    }

    private float[] run(
        final String kernel, final int sharedBytes, final DeviceMemory out, final KernelArguments arguments)
    {
        driver.launch(driver.prepareLaunch(
            driver.kernel(device.module, kernel), BLOCKS, TensorTile.THREADS, sharedBytes, arguments), device.stream);
        final ByteBuffer bytes = device.download(out);
        final float[] values = new float[(int)(out.bytes() / Float.BYTES)];
        for (int i = 0; i < values.length; i++)
        {
            values[i] = bytes.getFloat(Float.BYTES * i);
        }
        return values;
    }
}
