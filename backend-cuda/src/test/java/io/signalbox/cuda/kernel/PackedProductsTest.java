// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.EmulatedDriver;
import io.signalbox.cuda.driver.KernelArguments;
import io.signalbox.model.WeightType;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.ByteBuffer;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Kernels unpack each weight as the checkpoint's reader does, wherever the edges of blocks are. */
class PackedProductsTest
{
    /** All codes of E4M3 but NaN, row by row: 0x00 to 0x7e, then the negative ones. */
    private static final int ROWS = 2;
    private static final int COLUMNS = 127;
    private static final int STEP_BYTES = 64;
    private static final int TOKENS_OFFSET = 8;

    private static float e4m3(final int code)
    {
        final int exponent = code >>> 3 & 0xf;
        final float magnitude = exponent == 0 ? (code & 7) * 0x1p-9f : Math.scalb((8 + (code & 7)) / 8.0f, exponent - 7);
        return code >= 0x80 ? -magnitude : magnitude;
    }

    /** One vector for each column, which has 1 there and 0 elsewhere: the products are the weights. */
    @ParameterizedTest
    @CsvSource({"128, 128, 0, 0", "1, 40, 0, 1", "2, 3, 1, 0", "5, 1, 3, 1"})
    void shouldUnpackEachCodeWithTheScaleOfItsBlock(
        final int blockRows, final int blockColumns, final int firstRow, final int round)
    {
        EmulatedDriver.assumeAvailable();
        final DeviceRig device = new DeviceRig(1 << 20);
        final int across = (COLUMNS + blockColumns - 1) / blockColumns;
        final float[] scales = new float[(firstRow + ROWS + blockRows - 1) / blockRows * across];
        final ByteBuffer staged = device.staged();
        for (int i = 0; i < scales.length; i++)
        {
            scales[i] = 0.37f + 0.011f * i;
            staged.putFloat(Float.BYTES * i, scales[i]);
        }
        final DeviceMemory scaleMemory = uploaded(device, Float.BYTES * scales.length);
        for (int i = 0; i < ROWS * COLUMNS; i++)
        {
            staged.put(i, (byte)(i / COLUMNS << 7 | i % COLUMNS));
        }
        final DeviceMemory codes = uploaded(device, ROWS * COLUMNS);
        for (int i = 0; i < COLUMNS * COLUMNS; i++)
        {
            staged.putFloat(Float.BYTES * i, i / COLUMNS == i % COLUMNS ? 1.0f : 0.0f);
        }
        final DeviceMemory in = uploaded(device, Float.BYTES * COLUMNS * COLUMNS);
        for (int i = 0; i < STEP_BYTES; i++)
        {
            staged.put(i, (byte)0);
        }
        staged.putInt(TOKENS_OFFSET, COLUMNS);
        final DeviceMemory step = uploaded(device, STEP_BYTES);
        final DeviceMemory out = device.driver.allocate((long)Float.BYTES * COLUMNS * ROWS);
        final CudaDriver.Kernel kernel = device.driver.kernel(device.module, KernelNames.DECODER_LINEAR + "fp8");
        device.driver.launch(device.driver.prepareLaunch(kernel, 3, 64, 0, new KernelArguments(13).pointer(step)
            .pointer(codes).pointer(scaleMemory).int32(blockRows).int32(blockColumns).int32(firstRow).int32(round)
            .int32(ROWS).int32(COLUMNS).pointer(in).int32(0).int32(0).pointer(out)), device.stream);
        final ByteBuffer found = device.download(out);
        for (int i = 0; i < ROWS * COLUMNS; i++)
        {
            final int row = i / COLUMNS;
            final int column = i % COLUMNS;
            final float weight = e4m3(row << 7 | column) *
                scales[(firstRow + row) / blockRows * across + column / blockColumns];
            assertEquals(round == 0 ? weight : WeightType.bf16(WeightType.toBf16(weight)),
                found.getFloat(Float.BYTES * (column * ROWS + row)), 0.0f, "row " + row + ", column " + column);
        }
    }

    private static DeviceMemory uploaded(final DeviceRig device, final int bytes)
    {
        final DeviceMemory memory = device.driver.allocate(bytes);
        device.upload(memory, bytes);
        return memory;
    }
}
