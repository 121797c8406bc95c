// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.cuda.Mxfp4Checkpoint;
import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.EmulatedDriver;
import io.signalbox.cuda.driver.KernelArguments;
import io.signalbox.model.Checkpoint;
import io.signalbox.model.FeedForward;
import io.signalbox.model.WeightMatrix;
import io.signalbox.model.WeightType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Kernels unpack each weight as the checkpoint's reader does, wherever the edges of blocks are. */
class PackedProductsTest
{
    /** All codes of E4M3 but NaN, row by row: 0x00 to 0x7e, then the negative ones. */
    private static final int ROWS = 2;
    private static final int COLUMNS = 127;
    private static final float[] BIAS = {0.3f, -5.1f};
    /** Of MXFP4: all codes are finite with a scale up to 252, and the smaller half with 253 and 254. */
    private static final int[] SCALES = {0, 1, 2, 127, 251, 252, 253, 254};
    private static final int FINITE_SCALES = 6;
    private static final int EXPERTS = 2;
    private static final int BLOCKS = 3;
    private static final int THREADS = 64;
    private static final int STEP_BYTES = 64;
    private static final int TOKENS_OFFSET = 8;

    private static float e4m3(final int code)
    {
        final int exponent = code >>> 3 & 0xf;
        final float magnitude = exponent == 0 ? (code & 7) * 0x1p-9f : Math.scalb((8 + (code & 7)) / 8.0f, exponent - 7);
        return code >= 0x80 ? -magnitude : magnitude;
    }

    private static float bf16(final float value)
    {
        return WeightType.bf16(WeightType.toBf16(value));
    }

    /** One vector for each column, which has 1 there and 0 elsewhere: the products are the weights. */
    @ParameterizedTest
    @CsvSource({"128, 128, 0, 0, false", "1, 40, 0, 1, true", "2, 3, 1, 0, true", "5, 1, 3, 1, false"})
    void shouldUnpackEachCodeWithTheScaleOfItsBlock(
        final int blockRows, final int blockColumns, final int firstRow, final int round, final boolean biased)
    {
        EmulatedDriver.assumeAvailable();
        final DeviceRig device = new DeviceRig(1 << 20);
        final int across = (COLUMNS + blockColumns - 1) / blockColumns;
        final float[] scales = new float[(firstRow + ROWS + blockRows - 1) / blockRows * across];
        for (int i = 0; i < scales.length; i++)
        {
            scales[i] = 0.37f + 0.011f * i;
        }
        final byte[] codes = new byte[ROWS * COLUMNS];
        for (int i = 0; i < codes.length; i++)
        {
            codes[i] = (byte)(i / COLUMNS << 7 | i % COLUMNS);
        }
        final KernelArguments arguments = new KernelArguments(14).pointer(step(device, COLUMNS))
            .pointer(uploaded(device, codes)).pointer(uploaded(device, bytes(scales)))
            .int32(blockRows).int32(blockColumns).int32(firstRow).int32(round);
        if (biased)
        {
            arguments.pointer(uploaded(device, bytes(BIAS)));
        }
        final DeviceMemory out = device.driver.allocate((long)Float.BYTES * COLUMNS * ROWS);
        launch(device, (biased ? KernelNames.DECODER_BIASED_LINEAR : KernelNames.DECODER_LINEAR) + "fp8",
            arguments.int32(ROWS).int32(COLUMNS).pointer(uploaded(device, unitVectors(COLUMNS, COLUMNS))).int32(0)
                .int32(biased ? 1 : 0).pointer(out));
        final ByteBuffer found = device.download(out);
        for (int i = 0; i < ROWS * COLUMNS; i++)
        {
            final int row = i / COLUMNS;
            final int column = i % COLUMNS;
            final float exact = e4m3(row << 7 | column) *
                scales[(firstRow + row) / blockRows * across + column / blockColumns];
            final float weight = round == 0 ? exact : bf16(exact);
            assertEquals(biased ? bf16(weight + BIAS[row]) : weight,
                found.getFloat(Float.BYTES * (column * ROWS + row)), 0.0f, "row " + row + ", column " + column);
        }
    }

    @Test
    void shouldUnpackEachCodeOfMxfp4AsTheReaderDoes(@TempDir final Path directory) throws IOException
    {
        EmulatedDriver.assumeAvailable();
        Mxfp4Checkpoint.write(directory, SCALES);
        final List<WeightMatrix> matrices = Checkpoint.open(directory).weights().layers().get(0).moe().experts().stream()
            .limit(EXPERTS).map(FeedForward::down).toList();
        final int rows = matrices.get(0).rows();
        final int columns = matrices.get(0).columns();
        final ByteBuffer codes = ByteBuffer.allocate(EXPERTS * rows * columns / 2);
        final ByteBuffer scales = ByteBuffer.allocate(EXPERTS * rows);
        matrices.forEach(matrix ->
        {
            matrix.packed().putCodes(0, rows, codes);
            matrix.packed().putScales(0, rows, scales);
        });
        final DeviceRig device = new DeviceRig(1 << 20);
        final DeviceMemory out = device.driver.allocate((long)Float.BYTES * EXPERTS * columns * rows);
        launch(device, KernelNames.DECODER_CLAMPED_DOWN + "mxfp4", new KernelArguments(11).pointer(step(device, 1))
            .pointer(uploaded(device, codes.array())).pointer(uploaded(device, scales.array()))
            .pointer(uploaded(device, bytes(new float[EXPERTS * rows]))).int32(EXPERTS).int32(columns).int32(rows)
            .pointer(uploaded(device, ByteBuffer.allocate(Integer.BYTES * (EXPERTS + 1)).order(ByteOrder.LITTLE_ENDIAN)
                .putInt(0).putInt(columns).putInt(2 * columns).array()))
            .pointer(uploaded(device, unitVectors(EXPERTS * columns, columns))).int32(0).pointer(out));
        final ByteBuffer found = device.download(out);
        final Set<Integer> seen = new TreeSet<>();
        for (int i = 0; i < EXPERTS * rows * columns; i++)
        {
            final int row = i / columns % rows;
            final int column = i % columns;
            final int expert = i / columns / rows;
            final int code = codes.get(i / 2) >> i % 2 * 4 & 0xf;
            final int scale = scales.get(expert * rows + row) & 0xff;
            seen.add(scale << 4 | code);
            assertEquals(matrices.get(expert).at(row * columns + column),
                found.getFloat(Float.BYTES * ((expert * columns + column) * rows + row)), 0.0f,
                "code " + code + ", scale " + scale);
        }
        assertEquals(16 * FINITE_SCALES + 8 * (SCALES.length - FINITE_SCALES), seen.size());
    }

    /** Vector {@code i} has 1 in column {@code i} modulo the columns. */
    private static byte[] unitVectors(final int count, final int columns)
    {
        final float[] vectors = new float[count * columns];
        for (int i = 0; i < count; i++)
        {
            vectors[i * columns + i % columns] = 1.0f;
        }
        return bytes(vectors);
    }

    private static byte[] bytes(final float[] values)
    {
        final ByteBuffer bytes = ByteBuffer.allocate(Float.BYTES * values.length).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asFloatBuffer().put(values);
        return bytes.array();
    }

    private static DeviceMemory step(final DeviceRig device, final int tokens)
    {
        return uploaded(device, ByteBuffer.allocate(STEP_BYTES).order(ByteOrder.LITTLE_ENDIAN)
            .putInt(TOKENS_OFFSET, tokens).array());
    }

    private static DeviceMemory uploaded(final DeviceRig device, final byte[] bytes)
    {
        device.staged().put(0, bytes);
        final DeviceMemory memory = device.driver.allocate(bytes.length);
        device.upload(memory, bytes.length);
        return memory;
    }

    private static void launch(final DeviceRig device, final String name, final KernelArguments arguments)
    {
        final CudaDriver.Kernel kernel = device.driver.kernel(device.module, name);
        device.driver.launch(device.driver.prepareLaunch(kernel, BLOCKS, THREADS, 0, arguments), device.stream);
    }
}
