// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import io.signalbox.model.WeightMatrix;
import io.signalbox.model.WeightType;

/** Weights of a linear layer on the heap, row by row, as float32 or as the upper halves of it (bf16). Immutable. */
final class Matrix
{
    /** Weights of one task: 32 KiB of bf16, which stay in the first cache for all tokens. */
    private static final int TASK_WEIGHTS = 1 << 14;

    private final int rows;
    private final int columns;
    private final float[] floats;
    private final short[] halves;

    /** @param floats or {@code halves}: one of the two is {@code null}. */
    Matrix(final int rows, final int columns, final float[] floats, final short[] halves)
    {
        this.rows = rows;
        this.columns = columns;
        this.floats = floats;
        this.halves = halves;
    }

    /** Copies weights to the heap, where vectors of the JVM read them quickest on every version. */
    static Matrix of(final WeightMatrix weights)
    {
        if (weights.type() == WeightType.F32)
        {
            final float[] floats = new float[weights.count()];
            weights.copyTo(floats);
            return new Matrix(weights.rows(), weights.columns(), floats, null);
        }
        final short[] halves = new short[weights.count()];
        weights.copyTo(halves);
        return new Matrix(weights.rows(), weights.columns(), null, halves);
    }

    int rows()
    {
        return rows;
    }

    int columns()
    {
        return columns;
    }

    /** Rows of one task; the result does not depend on it. */
    int taskRows()
    {
        return Math.max(1, Math.min(rows, TASK_WEIGHTS / columns));
    }

    int tasks()
    {
        return (rows + taskRows() - 1) / taskRows();
    }

    void copyRow(final int row, final float[] to, final int at)
    {
        for (int i = 0; i < columns; i++)
        {
            to[at + i] = floats == null ? RowProducts.widen(halves[row * columns + i]) : floats[row * columns + i];
        }
    }

    /**
     * Multiplies some rows with the vectors {@code begin} to {@code end - 1} of {@code in}; with {@code order}, with those whose
     * numbers it has there. The result of vector number i is row i of {@code out}, whatever the order says.
     */
    void multiply(
        final RowProducts products, final int row, final int count, final float[] in, final int[] order, final int begin,
        final int end, final float[] out)
    {
        int i = begin;
        while (i < end)
        {
            final int taken = end - i >= RowProducts.TILE ? RowProducts.TILE : Math.min(end - i, 2);
            for (int k = 0; k < taken; k++)
            {
                products.x[k] = (order == null ? i + k : order[i + k]) * columns;
                products.y[k] = (i + k) * rows + row;
            }
            if (floats != null)
            {
                multiply(products, floats, row * columns, count, in, taken, out);
            }
            else
            {
                multiply(products, halves, row * columns, count, in, taken, out);
            }
            i += taken;
        }
    }

    private void multiply(final RowProducts products, final float[] weights, final int at, final int count, final float[] in,
        final int vectors, final float[] out)
    {
        final int[] x = products.x;
        final int[] y = products.y;
        switch (vectors)
        {
            case 1 -> products.one(weights, at, columns, columns, count, in, x[0], out, y[0]);
            case 2 -> products.two(weights, at, columns, columns, count, in, x[0], x[1], out, y[0], y[1]);
            default -> products.four(weights, at, columns, columns, count, in, out);
        }
    }

    private void multiply(final RowProducts products, final short[] weights, final int at, final int count, final float[] in,
        final int vectors, final float[] out)
    {
        final int[] x = products.x;
        final int[] y = products.y;
        switch (vectors)
        {
            case 1 -> products.one(weights, at, columns, columns, count, in, x[0], out, y[0]);
            case 2 -> products.two(weights, at, columns, columns, count, in, x[0], x[1], out, y[0], y[1]);
            default -> products.four(weights, at, columns, columns, count, in, out);
        }
    }
}
