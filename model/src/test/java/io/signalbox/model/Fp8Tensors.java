// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** Packs tensors of a written checkpoint in FP8, with random weights and scales, and unpacks them by definition. */
final class Fp8Tensors
{
    private static final int NAN = 0x7f;

    private final SplittableRandom random;
    private final int blockRows;
    private final int blockColumns;
    /** The unpacked weights of each packed tensor, row-major. */
    final Map<String, float[]> unpacked = new TreeMap<>();

    Fp8Tensors(final long seed, final int blockRows, final int blockColumns)
    {
        random = new SplittableRandom(seed);
        this.blockRows = blockRows;
        this.blockColumns = blockColumns;
    }

    /** Replaces a matrix, or the matrices of one tensor. */
    void pack(final WrittenCheckpoint written, final String name)
    {
        final long[] shape = written.tensors.get(name).shape();
        final int last = shape.length - 1;
        final int rows = (int)shape[last - 1];
        final int columns = (int)shape[last];
        final int count = shape.length == 3 ? (int)shape[0] : 1;
        final int scaleRows = (int)Math.ceil((double)rows / blockRows);
        final int scaleColumns = (int)Math.ceil((double)columns / blockColumns);
        final boolean wide = random.nextBoolean();
        final byte[] bytes = new byte[count * rows * columns];
        final ByteBuffer scales =
            ByteBuffer.allocate(count * scaleRows * scaleColumns * (wide ? 4 : 2)).order(ByteOrder.LITTLE_ENDIAN);
        final float[] values = new float[count * scaleRows * scaleColumns];
        for (int i = 0; i < values.length; i++)
        {
            values[i] = Math.scalb(1.0f + random.nextInt(wide ? 1 << 23 : 1 << 7) / (wide ? 0x1p23f : 128.0f),
                random.nextInt(20) - 15);
            if (wide)
            {
                scales.putFloat(values[i]);
            }
            else
            {
                scales.putShort(WeightType.toBf16(values[i]));
            }
        }
        final float[] weights = new float[bytes.length];
        for (int i = 0; i < bytes.length; i++)
        {
            bytes[i] = (byte)random.nextInt(256);
            bytes[i] = (bytes[i] & NAN) == NAN ? 0 : bytes[i];
            final int row = i / columns % rows;
            final int block =
                (i / (rows * columns) * scaleRows + row / blockRows) * scaleColumns + i % columns / blockColumns;
            // The product of 4 and of 24 bits is exact in double; the conversion rounds it once.
            weights[i] = (float)(value(bytes[i] & 0xff) * values[block]);
        }
        unpacked.put(name, weights);
        written.tensors.put(name, new WrittenCheckpoint.Tensor("F8_E4M3", shape, bytes));
        final long[] scaleShape = shape.clone();
        scaleShape[last - 1] = scaleRows;
        scaleShape[last] = scaleColumns;
        written.tensors.put(name + "_scale_inv",
            new WrittenCheckpoint.Tensor(wide ? "F32" : "BF16", scaleShape, scales.array()));
    }

    private static double value(final int bits)
    {
        final int exponent = bits >> 3 & 15;
        final double magnitude =
            exponent == 0 ? (bits & 7) * 0x1p-9 : (1.0 + (bits & 7) / 8.0) * Math.pow(2.0, exponent - 7);
        return bits < 128 ? magnitude : -magnitude;
    }

    /** Names of the matrices that checkpoints of FP8 pack. */
    static List<String> names(final WrittenCheckpoint written)
    {
        return written.tensors.keySet().stream().filter(name -> name.contains("_proj")).toList();
    }

    /** Takes the weights of the next matrix of a tensor. */
    float[] take(final String name, final int count)
    {
        final float[] left = unpacked.get(name);
        unpacked.put(name, Arrays.copyOfRange(left, count, left.length));
        return Arrays.copyOf(left, count);
    }
}
