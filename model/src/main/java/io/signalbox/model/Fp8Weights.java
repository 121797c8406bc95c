// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.nio.ByteBuffer;

/**
 * Weights in E4M3 with a scale for each block of outputs and inputs, whose size {@code quantization_config} gives: a weight
 * is its E4M3 value times the scale of its block, both as float32, rounded once. Blocks at the edges may be smaller.
 */
final class Fp8Weights extends FileWeights implements PackedWeights
{
    /** E4M3 has no infinities and two NaN. Without an exponent, values are multiples of 2^-9. */
    private static final float[] VALUES = new float[256];
    private static final int BIAS = 7;
    private static final int FRACTION_BITS = 3;
    private static final int FRACTIONS = 1 << FRACTION_BITS;
    private static final int MAGNITUDE = 0x7f;
    private static final String REMEDY = "copy or download the checkpoint again";

    static
    {
        for (int bits = 0; bits <= MAGNITUDE; bits++)
        {
            final int exponent = bits >>> FRACTION_BITS;
            final int fraction = bits % FRACTIONS;
            VALUES[bits] = bits == MAGNITUDE ? Float.NaN : Math.scalb(
                (float)(exponent == 0 ? fraction : FRACTIONS + fraction), Math.max(exponent, 1) - BIAS - FRACTION_BITS);
            VALUES[MAGNITUDE + 1 + bits] = -VALUES[bits];
        }
    }

    private final String name;
    private final Quantization blocks;
    private final MappedShard shard;
    private final ByteBuffer bytes;
    private final FileWeights scales;
    private final int firstRow;

    /**
     * @param name   of the tensor.
     * @param shard  the shard that contains the bytes.
     * @param bytes  of the weights, from position 0.
     * @param scales [blocks of outputs, blocks of inputs].
     */
    Fp8Weights(
        final String name, final int columns, final Quantization blocks, final MappedShard shard, final ByteBuffer bytes,
        final FileWeights scales)
    {
        this(name, columns, blocks, shard, bytes, scales, 0);
    }

    private Fp8Weights(
        final String name, final int columns, final Quantization blocks, final MappedShard shard, final ByteBuffer bytes,
        final FileWeights scales, final int firstRow)
    {
        super(columns);
        this.name = name;
        this.blocks = blocks;
        this.shard = shard;
        this.bytes = bytes;
        this.scales = scales;
        this.firstRow = firstRow;
    }

    @Override
    float at(final int row, final int column)
    {
        return finite(row, column, scale(row, column));
    }

    @Override
    void row(final int row, final float[] to, final int at)
    {
        final int from = (firstRow + row) * columns();
        for (int block = 0; block < columns(); block += blocks.blockColumns())
        {
            final float scale = scale(row, block);
            final int end = Math.min(columns(), block + blocks.blockColumns());
            boolean finite = true;
            for (int column = block; column < end; column++)
            {
                final float weight = VALUES[bytes.get(from + column) & 0xff] * scale;
                finite &= Math.abs(weight) <= Float.MAX_VALUE;
                to[at + column] = weight;
            }
            for (int column = block; column < end && !finite; column++)
            {
                finite(row, column, scale);
            }
        }
    }

    @Override
    PackedWeights packed()
    {
        return this;
    }

    @Override
    public PackedLayout layout()
    {
        return new PackedLayout(PackedLayout.Format.FP8, blocks.blockRows(), blocks.blockColumns(),
            firstRow % blocks.blockRows());
    }

    @Override
    public void putCodes(final int first, final int count, final ByteBuffer to)
    {
        final float[] checked = new float[columns()];
        for (int row = first; row < first + count; row++)
        {
            row(row, checked, 0);
        }
        to.put(bytes.slice((firstRow + first) * columns(), count * columns()));
    }

    @Override
    public void putScales(final int first, final int count, final ByteBuffer to)
    {
        final int across = layout().blocksAcross(columns());
        for (int blockRow = firstRow / blocks.blockRows() + first, i = 0; i < count; blockRow++, i++)
        {
            for (int blockColumn = 0; blockColumn < across; blockColumn++)
            {
                to.putFloat(blockScale(blockRow, blockColumn));
            }
        }
    }

    private float scale(final int row, final int column)
    {
        return blockScale((firstRow + row) / blocks.blockRows(), column / blocks.blockColumns());
    }

    private float blockScale(final int blockRow, final int blockColumn)
    {
        final float scale = scales.at(blockRow, blockColumn);
        if (!(scale > 0.0f && scale <= Float.MAX_VALUE))
        {
            throw new ModelException("the tensor " + name + Quantization.SCALE + " has " + scale + " at [" + blockRow +
                ", " + blockColumn + "], and scales must be positive finite numbers", REMEDY);
        }
        return scale;
    }

    private float finite(final int row, final int column, final float scale)
    {
        final float value = VALUES[bytes.get((firstRow + row) * columns() + column) & 0xff];
        if (!(Math.abs(value * scale) <= Float.MAX_VALUE))
        {
            throw new ModelException("the tensor " + name + " has " + value + " with the scale " + scale + " at [" +
                (firstRow + row) + ", " + column + "], and weights must be finite", REMEDY);
        }
        return value * scale;
    }

    @Override
    void read(final Runnable reading)
    {
        scales.read(() -> shard.read(reading));
    }

    @Override
    void requireUnchanged()
    {
        shard.requireUnchanged();
        scales.requireUnchanged();
    }

    @Override
    FileWeights rows(final int first, final int count)
    {
        return new Fp8Weights(name, columns(), blocks, shard, bytes, scales, firstRow + first);
    }
}
