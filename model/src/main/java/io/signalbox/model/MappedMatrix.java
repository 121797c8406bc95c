// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;

/**
 * Weights in a mapped file. If the file holds them otherwise than the type says, each is converted when it is read: to
 * float32 exactly, to bf16 by rounding to nearest, ties to even.
 */
final class MappedMatrix extends WeightMatrix
{
    private final FileWeights stored;

    /** @param type the type in which the weights are read. */
    MappedMatrix(
        final String name, final int rows, final int columns, final WeightType type, final FileWeights stored,
        final LoadProgress progress)
    {
        super(name, rows, columns, type, progress);
        bytes(name, rows, columns, type);
        this.stored = stored;
    }

    @Override
    public float at(final int index)
    {
        return at(index / columns(), index % columns());
    }

    @Override
    float at(final int row, final int column)
    {
        final float weight = stored.at(row, column);
        return type() == WeightType.F32 ? weight : WeightType.bf16(WeightType.toBf16(weight));
    }

    @Override
    void copy(final float[] to, final int at)
    {
        final ByteBuffer same = stored.bytes(WeightType.F32);
        stored.read(() ->
        {
            if (same != null && type() == WeightType.F32)
            {
                same.asFloatBuffer().get(to, at, count());
                return;
            }
            for (int row = 0; row < rows(); row++)
            {
                stored.row(row, to, at + row * columns());
            }
            for (int i = at; i < at + count() && type() == WeightType.BF16; i++)
            {
                to[i] = WeightType.bf16(WeightType.toBf16(to[i]));
            }
        });
    }

    @Override
    void copy(final short[] to, final int at)
    {
        final ByteBuffer same = stored.bytes(WeightType.BF16);
        stored.read(() ->
        {
            if (same != null)
            {
                same.asShortBuffer().get(to, at, count());
                return;
            }
            final float[] widened = new float[columns()];
            for (int row = 0; row < rows(); row++)
            {
                stored.row(row, widened, 0);
                for (int column = 0; column < columns(); column++)
                {
                    to[at + row * columns() + column] = WeightType.toBf16(widened[column]);
                }
            }
        });
    }

    @Override
    public ByteBuffer bytes()
    {
        final ByteBuffer same = stored.bytes(type());
        return same == null ? super.bytes() : same;
    }

    @Override
    public void putRows(final int first, final int count, final ByteBuffer to)
    {
        final ByteBuffer same = stored.bytes(type());
        if (same != null)
        {
            final int rowBytes = columns() * type().bytes();
            to.put(same.slice(first * rowBytes, count * rowBytes));
            return;
        }
        final float[] widened = new float[columns()];
        for (int row = first; row < first + count; row++)
        {
            stored.row(row, widened, 0);
            for (final float weight : widened)
            {
                type().put(weight, to);
            }
        }
    }

    @Override
    public PackedWeights packed()
    {
        return stored.packed();
    }

    @Override
    PackedWeights packedColumns(final int first, final int step)
    {
        return stored.packedColumns(first, step);
    }

    @Override
    public boolean isComputed()
    {
        return stored.bytes(type()) == null;
    }

    @Override
    MappedMatrix inBf16()
    {
        return type() == WeightType.BF16 ? this :
            new MappedMatrix(name(), rows(), columns(), WeightType.BF16, stored, progress());
    }

    @Override
    void read(final Runnable reading)
    {
        stored.read(reading);
    }

    @Override
    void requireUnchanged()
    {
        stored.requireUnchanged();
    }

    @Override
    void addTo(final MessageDigest digest)
    {
        final ByteBuffer same = stored.bytes(type());
        stored.read(() ->
        {
            if (same != null)
            {
                digest.update(same);
                return;
            }
            final ByteBuffer row =
                ByteBuffer.allocate(columns() * type().bytes()).order(ByteOrder.LITTLE_ENDIAN);
            for (int i = 0; i < rows(); i++)
            {
                putRows(i, 1, row.clear());
                digest.update(row.flip());
            }
        });
    }

    /** These rows, without a copy. */
    MappedMatrix part(final int firstRow, final int count)
    {
        return new MappedMatrix(name(), count, columns(), type(), stored.rows(firstRow, count), progress());
    }
}
