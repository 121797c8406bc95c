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

    /** Multiplies some rows with one vector. */
    void multiply(
        final RowProducts products, final int from, final int count, final float[] in, final int x, final float[] out,
        final int y)
    {
        if (floats != null)
        {
            products.one(floats, from * columns, columns, columns, count, in, x, out, y + from);
        }
        else
        {
            products.one(halves, from * columns, columns, columns, count, in, x, out, y + from);
        }
    }

    /** Multiplies some rows with two vectors. */
    void multiply(
        final RowProducts products, final int from, final int count, final float[] in, final int x0, final int x1,
        final float[] out, final int y0, final int y1)
    {
        if (floats != null)
        {
            products.two(floats, from * columns, columns, columns, count, in, x0, x1, out, y0 + from, y1 + from);
        }
        else
        {
            products.two(halves, from * columns, columns, columns, count, in, x0, x1, out, y0 + from, y1 + from);
        }
    }
}
