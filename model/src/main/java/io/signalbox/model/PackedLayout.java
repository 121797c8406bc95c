// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

/**
 * How a checkpoint packs the weights of a matrix: a code for each weight, and a scale for each block of rows and columns.
 * Blocks at the edges may be smaller.
 *
 * @param blockRows    rows that share a scale.
 * @param blockColumns columns that share a scale.
 * @param firstRow     the row of the first block that is row 0 of the matrix; above 0 if the matrix is a part of a tensor.
 */
public record PackedLayout(int blockRows, int blockColumns, int firstRow)
{
    /** Blocks over so many rows. */
    public int blocksDown(final int rows)
    {
        return (firstRow + rows + blockRows - 1) / blockRows;
    }

    /** Blocks over so many columns. */
    public int blocksAcross(final int columns)
    {
        return (columns + blockColumns - 1) / blockColumns;
    }
}
