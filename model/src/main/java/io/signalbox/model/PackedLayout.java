// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

/**
 * How a checkpoint packs the weights of a matrix: a code for each weight, and a scale for each block of rows and columns.
 * Blocks at the edges may be smaller.
 *
 * @param format       of codes and scales.
 * @param blockRows    rows that share a scale.
 * @param blockColumns columns that share a scale.
 * @param firstRow     the row of the first block that is row 0 of the matrix; above 0 if the matrix is a part of a tensor.
 */
public record PackedLayout(Format format, int blockRows, int blockColumns, int firstRow)
{
    /** The form of codes and scales. */
    public enum Format
    {
        /**
         * E4M3 codes of a byte and float32 scales. A weight is the product of its code's value and the scale of its block,
         * rounded to float32; if the type of the matrix is bf16, it is then rounded to bf16.
         */
        FP8(8, Float.BYTES),
        /**
         * E2M1 codes of half a byte, the code of the first of two columns in the lower half, and scales of a byte. A weight
         * is the value of its code times 2^(scale - 127), which bf16 has exactly. A block is in one row.
         */
        MXFP4(4, 1);

        private final int codeBits;
        private final int scaleBytes;

        Format(final int codeBits, final int scaleBytes)
        {
            this.codeBits = codeBits;
            this.scaleBytes = scaleBytes;
        }

        /** Bytes of a scale. */
        public int scaleBytes()
        {
            return scaleBytes;
        }
    }

    /** Bytes of the codes of a row. */
    public int codeBytes(final int columns)
    {
        return columns * format.codeBits / Byte.SIZE;
    }

    /** Bytes of the scales of a row of blocks. */
    public int scaleBytes(final int columns)
    {
        return blocksAcross(columns) * format.scaleBytes;
    }

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
