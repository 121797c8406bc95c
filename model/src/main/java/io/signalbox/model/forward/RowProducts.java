// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

/**
 * Dot products of rows of a matrix with one or two vectors, each in the order of {@link LaneSum}. All implementations
 * compute the same bits. Serves one thread.
 *
 * <p>Row {@code r} begins at element {@code at + r * stride} of the matrix, and its product with the vector from {@code x}
 * on is written to element {@code y + r}. Weights of bf16 are their upper 16 bits, and are widened exactly.
 */
abstract class RowProducts
{
    /** The fastest implementation on this JVM, and its name. */
    static final RowProductsChoice CHOICE = RowProductsChoice.find();

    final float[] lanes = new float[LaneSum.LANES];

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

    static float widen(final short bits)
    {
        return Float.intBitsToFloat(bits << Short.SIZE);
    }
}
