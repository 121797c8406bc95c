// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;

/**
 * Some outputs of a matrix that is stored input by input: column {@code first + step * r} of the stored matrix is row r of
 * this one. Weights are copied in tiles, so that both matrices are read and written in runs.
 */
final class TransposedMatrix extends WeightMatrix
{
    /** Inputs of a tile: 32 bytes of a row in bf16. */
    private static final int TILE = 16;

    private final WeightMatrix stored;
    private final int first;
    private final int step;

    /**
     * @param stored [inputs, stored outputs].
     * @param rows   outputs that are taken.
     * @param first  the first one.
     * @param step   from one to the next.
     */
    TransposedMatrix(final WeightMatrix stored, final int rows, final int first, final int step)
    {
        super(stored.name(), rows, stored.rows(), stored.type(), stored.progress());
        this.stored = stored;
        this.first = first;
        this.step = step;
    }

    @Override
    public float at(final int index)
    {
        return at(index / columns(), index % columns());
    }

    private float at(final int row, final int column)
    {
        return stored.at(column * stored.columns() + first + row * step);
    }

    @Override
    void read(final Runnable reading)
    {
        stored.read(reading);
    }

    @Override
    void copy(final float[] to, final int at)
    {
        read(() ->
        {
            for (int tile = 0; tile < columns(); tile += TILE)
            {
                for (int row = 0; row < rows(); row++)
                {
                    for (int column = tile; column < Math.min(columns(), tile + TILE); column++)
                    {
                        to[at + row * columns() + column] = at(row, column);
                    }
                }
            }
        });
    }

    @Override
    void copy(final short[] to, final int at)
    {
        read(() ->
        {
            for (int tile = 0; tile < columns(); tile += TILE)
            {
                for (int row = 0; row < rows(); row++)
                {
                    for (int column = tile; column < Math.min(columns(), tile + TILE); column++)
                    {
                        to[at + row * columns() + column] = WeightType.toBf16(at(row, column));
                    }
                }
            }
        });
    }

    @Override
    public ByteBuffer bytes()
    {
        final ByteBuffer bytes =
            ByteBuffer.allocateDirect(bytes(name(), rows(), columns(), type())).order(ByteOrder.LITTLE_ENDIAN);
        if (type() == WeightType.F32)
        {
            final float[] weights = new float[count()];
            copy(weights, 0);
            bytes.asFloatBuffer().put(weights);
        }
        else
        {
            final short[] weights = new short[count()];
            copy(weights, 0);
            bytes.asShortBuffer().put(weights);
        }
        return bytes.asReadOnlyBuffer().order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public boolean isStored()
    {
        return stored.isStored();
    }

    @Override
    void requireUnchanged()
    {
        stored.requireUnchanged();
    }

    @Override
    void addTo(final MessageDigest digest)
    {
        if (isStored())
        {
            digest.update(bytes());
        }
        else
        {
            stored.addTo(digest);
            digest.update((byte)first);
        }
    }
}
