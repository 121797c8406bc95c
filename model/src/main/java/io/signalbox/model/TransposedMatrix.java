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
    /** Rows that a digest takes at a time. */
    private static final int DIGESTED_ROWS = 64;

    /** Takes the weights of the columns {@code [begin, end)} of a row. */
    @FunctionalInterface
    private interface Run
    {
        void take(int row, int begin, int end);
    }

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

    @Override
    float at(final int row, final int column)
    {
        return stored.at(column, first + row * step);
    }

    @Override
    void read(final Runnable reading)
    {
        stored.read(reading);
    }

    @Override
    void copy(final float[] to, final int at)
    {
        read(() -> inTiles(rows(), (row, begin, end) ->
        {
            for (int column = begin; column < end; column++)
            {
                to[at + row * columns() + column] = at(row, column);
            }
        }));
    }

    @Override
    void copy(final short[] to, final int at)
    {
        read(() -> inTiles(rows(), (row, begin, end) ->
        {
            for (int column = begin; column < end; column++)
            {
                to[at + row * columns() + column] = WeightType.toBf16(at(row, column));
            }
        }));
    }

    @Override
    public void putRows(final int from, final int count, final ByteBuffer to)
    {
        final int size = type().bytes();
        final int start = to.position();
        inTiles(count, (row, begin, end) ->
        {
            to.position(start + (row * columns() + begin) * size);
            for (int column = begin; column < end; column++)
            {
                type().put(at(from + row, column), to);
            }
        });
        to.position(start + count * columns() * size);
    }

    /** Visits the weights of some rows tile by tile. */
    private void inTiles(final int count, final Run run)
    {
        for (int tile = 0; tile < columns(); tile += TILE)
        {
            final int end = Math.min(columns(), tile + TILE);
            for (int row = 0; row < count; row++)
            {
                run.take(row, tile, end);
            }
        }
    }

    @Override
    public PackedWeights packed()
    {
        return stored.packedColumns(first, step);
    }

    @Override
    public boolean isComputed()
    {
        return true;
    }

    @Override
    TransposedMatrix inBf16()
    {
        return type() == WeightType.BF16 ? this : new TransposedMatrix(stored.inBf16(), rows(), first, step);
    }

    @Override
    void requireUnchanged()
    {
        stored.requireUnchanged();
    }

    @Override
    void addTo(final MessageDigest digest)
    {
        if (stored.recipe() != null)
        {
            stored.addTo(digest);
            digest.update((byte)first);
            return;
        }
        final int most = Math.min(rows(), DIGESTED_ROWS);
        final ByteBuffer some = ByteBuffer.allocate(most * columns() * type().bytes()).order(ByteOrder.LITTLE_ENDIAN);
        read(() ->
        {
            for (int row = 0; row < rows(); row += most)
            {
                putRows(row, Math.min(most, rows() - row), some.clear());
                digest.update(some.flip());
            }
        });
    }
}
