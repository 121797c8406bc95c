// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

/**
 * Dot products of rows of a matrix with one, two or four vectors, each in the order of {@link LaneSum}. All
 * implementations compute the same bits. Serves one thread.
 *
 * <p>Row {@code r} begins at element {@code at + r * stride} of the matrix, and its product with the vector from {@code x}
 * on is written to element {@code y + r}. Weights of bf16 are their upper 16 bits, and are widened exactly.
 */
abstract class RowProducts
{
    /** The fastest implementation on this JVM, and its name. */
    static final RowProductsChoice CHOICE = RowProductsChoice.find();

    /** Vectors of a tile: so often a weight is used when it is read. */
    static final int TILE = 4;

    final float[] lanes = new float[LaneSum.LANES];
    /** Where the vectors of a tile begin, and their results; the caller of {@link #four} sets them. */
    final int[] x = new int[TILE];
    final int[] y = new int[TILE];

    static RowProducts fastest()
    {
        return CHOICE.make();
    }

    abstract void one(float[] matrix, int at, int stride, int columns, int rows, float[] vectors, int x, float[] out, int y);

    abstract void one(short[] matrix, int at, int stride, int columns, int rows, float[] vectors, int x, float[] out, int y);

    /** With two vectors at a time, so that the matrix is read once. */
    abstract void two(float[] matrix, int at, int stride, int columns, int rows,
        float[] vectors, int x0, int x1, float[] out, int y0, int y1);

    abstract void two(short[] matrix, int at, int stride, int columns, int rows,
        float[] vectors, int x0, int x1, float[] out, int y0, int y1);

    /** With a tile of four vectors, which begin at {@link #x}; their results begin at {@link #y}. */
    void four(final float[] matrix, final int at, final int stride, final int columns, final int rows,
        final float[] vectors, final float[] out)
    {
        two(matrix, at, stride, columns, rows, vectors, x[0], x[1], out, y[0], y[1]);
        two(matrix, at, stride, columns, rows, vectors, x[2], x[3], out, y[2], y[3]);
    }

    void four(final short[] matrix, final int at, final int stride, final int columns, final int rows,
        final float[] vectors, final float[] out)
    {
        two(matrix, at, stride, columns, rows, vectors, x[0], x[1], out, y[0], y[1]);
        two(matrix, at, stride, columns, rows, vectors, x[2], x[3], out, y[2], y[3]);
    }

    static float widen(final short bits)
    {
        return Float.intBitsToFloat(bits << Short.SIZE);
    }
}
