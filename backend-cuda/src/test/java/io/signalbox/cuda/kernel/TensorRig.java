// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.KernelArguments;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Weights and vectors in device memory, and the products of kernels with them; those of linear layers are not rounded. */
final class TensorRig
{
    private static final int STAGED_BYTES = 1 << 22;
    private static final int STEP_BYTES = 64;
    private static final int NO_NUMBER = 0x7FC07FC0;
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

    private DeviceMemory narrow(final float[] values)
    {
        for (int i = 0; i < values.length; i++)
        {
            device.staged().putShort(Short.BYTES * i, (short)(Float.floatToRawIntBits(values[i]) >>> 16));
        }
        return upload(Short.BYTES * values.length);
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
        run(kernel, sharedBytes, new KernelArguments(14).pointer(step(count)).pointer(narrow(weights)).nullPointer()
            .nullPointer().int32(rows).int32(0).int32(0).int32(columns).pointer(narrow(in)).int32(0).int32(0).pointer(out)
            .nullPointer().nullPointer());
        return floats(out);
    }

    /** Three matrices of so many columns at once, one after the other {@code [count][rows]}. */
    float[][] linear(
        final TensorTile tile, final float[][] weights, final int columns, final float[] in, final int count)
    {
        final KernelArguments arguments = new KernelArguments(14).pointer(step(count));
        final DeviceMemory[] out = new DeviceMemory[weights.length];
        for (int i = 0; i < weights.length; i++)
        {
            arguments.pointer(narrow(weights[i]));
            out[i] = target(count * (weights[i].length / columns));
        }
        for (final float[] matrix : weights)
        {
            arguments.int32(matrix.length / columns);
        }
        arguments.int32(columns).pointer(narrow(in)).int32(0).int32(0);
        for (final DeviceMemory each : out)
        {
            arguments.pointer(each);
        }
        run(tile.kernel(KernelNames.TENSOR_LINEAR), tile.linearBytes(), arguments);
        return Arrays.stream(out).map(this::floats).toArray(float[][]::new);
    }

    /** {@code [place][width]}, gates, other halves and products rounded to bf16. */
    float[] expertUp(
        final TensorTile tile, final float[] gates, final float[] others, final int width, final int hidden,
        final int[] starts, final int[] tokens, final float[] in)
    {
        final DeviceMemory inner = target(tokens.length * width / 2);
        run(tile.kernel(KernelNames.TENSOR_EXPERT_UP), tile.pairsBytes(), new KernelArguments(11)
            .pointer(step(1)).pointer(narrow(gates)).pointer(narrow(others)).int32(starts.length - 1).int32(width)
            .int32(hidden).pointer(words(starts)).pointer(words(tokens)).pointer(narrow(in)).int32(1).pointer(inner));
        final ByteBuffer bytes = device.download(inner);
        final float[] values = new float[tokens.length * width];
        for (int i = 0; i < values.length; i++)
        {
            values[i] = Float.intBitsToFloat(bytes.getShort(Short.BYTES * i) << 16);
        }
        return values;
    }

    /** {@code [place][hidden]}. */
    float[] expertDown(
        final TensorTile tile, final float[] weights, final int width, final int hidden, final int[] starts,
        final float[] inner)
    {
        final DeviceMemory outputs = target(inner.length / width * hidden);
        run(tile.kernel(KernelNames.TENSOR_EXPERT_DOWN), tile.linearBytes(), new KernelArguments(9)
            .pointer(step(1)).pointer(narrow(weights)).int32(starts.length - 1).int32(width).int32(hidden)
            .pointer(words(starts)).pointer(narrow(inner)).int32(0).pointer(outputs));
        return floats(outputs);
    }

    private DeviceMemory target(final int count)
    {
        final DeviceMemory memory = driver.allocate((long)count * Float.BYTES);
        driver.fill(memory, NO_NUMBER, count, device.stream);
        return memory;
    }

    private void run(final String kernel, final int sharedBytes, final KernelArguments arguments)
    {
        driver.launch(driver.prepareLaunch(
            driver.kernel(device.module, kernel), BLOCKS, TensorTile.THREADS, sharedBytes, arguments), device.stream);
    }

    private float[] floats(final DeviceMemory out)
    {
        final ByteBuffer bytes = device.download(out);
        final float[] values = new float[(int)(out.bytes() / Float.BYTES)];
        for (int i = 0; i < values.length; i++)
        {
            values[i] = bytes.getFloat(Float.BYTES * i);
        }
        return values;
    }
}
