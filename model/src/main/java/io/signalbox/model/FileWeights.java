// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.nio.ByteBuffer;

/** The weights of a matrix as a mapped file holds them. Any number of threads may read them. */
abstract class FileWeights
{
    private final int columns;

    FileWeights(final int columns)
    {
        this.columns = columns;
    }

    final int columns()
    {
        return columns;
    }

    /**
     * The weight, exactly.
     *
     * @throws ModelException if a packed weight is not finite.
     */
    abstract float at(int row, int column);

    /**
     * Copies a row, widened exactly.
     *
     * @throws ModelException if a packed weight is not finite.
     */
    void row(final int row, final float[] to, final int at)
    {
        for (int column = 0; column < columns; column++)
        {
            to[at + column] = at(row, column);
        }
    }

    /** The bytes of the file if the file holds the weights in this type; else {@code null}. */
    ByteBuffer bytes(final WeightType type)
    {
        return null;
    }

    /** The same weights as the file packs them; {@code null} if they are not packed. */
    PackedWeights packed()
    {
        return null;
    }

    /**
     * Some columns of these weights as the rows of a matrix, as the file packs them; {@code null} if they are not packed so.
     *
     * @param first the first column.
     * @param step  from one column to the next.
     */
    PackedWeights packedColumns(final int first, final int step)
    {
        return null;
    }

    /** Reads mapped bytes, as {@link MappedShard#read} does. */
    abstract void read(Runnable reading);

    /** @throws ModelException if a file is not the one that was opened. */
    abstract void requireUnchanged();

    /** These rows, without a copy. */
    abstract FileWeights rows(int first, int count);
}
