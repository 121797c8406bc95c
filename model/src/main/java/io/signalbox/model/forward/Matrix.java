// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

/**
 * Weights of a linear layer on the heap, row by row, as float32 or as the upper halves of it (bf16), and its bias.
 * Immutable.
 */
final class Matrix
{
    /** Weights of one task: 32 KiB of bf16, which stay in the first cache for all tokens. */
    private static final int TASK_WEIGHTS = 1 << 14;

    private final int rows;
    private final int columns;
    private final int at;
    private final float[] floats;
    private final short[] halves;
    private final float[] bias;

    /**
     * @param at     where the weights begin.
     * @param floats or {@code halves}: one of the two is {@code null}.
     * @param bias   one value per row; {@code null}: none.
     */
    Matrix(
        final int rows, final int columns, final int at, final float[] floats, final short[] halves, final float[] bias)
    {
        this.rows = rows;
        this.columns = columns;
        this.at = at;
        this.floats = floats;
        this.halves = halves;
        this.bias = bias;
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

    boolean hasBias()
    {
        return bias != null;
    }

    /** Adds the bias, if there is one, to the products of some rows with one vector. */
    void addBias(final int row, final int count, final float[] products, final int at)
    {
        for (int i = 0; bias != null && i < count; i++)
        {
            products[at + i] += bias[row + i];
        }
    }

    void copyRow(final int row, final float[] to, final int first)
    {
        final int from = at + row * columns;
        for (int i = 0; i < columns; i++)
        {
            to[first + i] = floats == null ? RowProducts.widen(halves[from + i]) : floats[from + i];
        }
    }

    /**
     * Multiplies some rows with the vectors {@code begin} to {@code end - 1} of {@code in}; with {@code order}, with those
     * whose numbers it has there. The result of vector number i is row i of {@code out}, whatever the order says.
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
                multiply(products, floats, at + row * columns, count, in, taken, out);
            }
            else
            {
                multiply(products, halves, at + row * columns, count, in, taken, out);
            }
            i += taken;
        }
    }

    private void multiply(
        final RowProducts products, final float[] weights, final int from, final int count, final float[] in,
        final int vectors, final float[] out)
    {
        final int[] x = products.x;
        final int[] y = products.y;
        switch (vectors)
        {
            case 1 -> products.one(weights, from, columns, columns, count, in, x[0], out, y[0]);
            case 2 -> products.two(weights, from, columns, columns, count, in, x[0], x[1], out, y[0], y[1]);
            default -> products.four(weights, from, columns, columns, count, in, out);
        }
    }

    private void multiply(
        final RowProducts products, final short[] weights, final int from, final int count, final float[] in,
        final int vectors, final float[] out)
    {
        final int[] x = products.x;
        final int[] y = products.y;
        switch (vectors)
        {
            case 1 -> products.one(weights, from, columns, columns, count, in, x[0], out, y[0]);
            case 2 -> products.two(weights, from, columns, columns, count, in, x[0], x[1], out, y[0], y[1]);
            default -> products.four(weights, from, columns, columns, count, in, out);
        }
    }
}
