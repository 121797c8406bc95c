// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

/**
 * Plain loops: eight lanes at a time, or two lanes of four vectors, so that their sums stay in registers and do not wait for
 * one another.
 */
final class PlainRowProducts extends RowProducts
{
    private static final int GROUP = 8;

    private final float[][] tile = new float[TILE][LaneSum.LANES];

    @Override
    void one(final float[] matrix, final int at, final int stride, final int columns, final int rows,
        final float[] vectors, final int x, final float[] out, final int y)
    {
        for (int row = 0; row < rows; row++)
        {
            out[y + row] = dot(matrix, at + row * stride, columns, vectors, x);
        }
    }

    @Override
    void one(final short[] matrix, final int at, final int stride, final int columns, final int rows,
        final float[] vectors, final int x, final float[] out, final int y)
    {
        for (int row = 0; row < rows; row++)
        {
            out[y + row] = dot(matrix, at + row * stride, columns, vectors, x);
        }
    }

    @Override
    void two(final float[] matrix, final int at, final int stride, final int columns, final int rows,
        final float[] vectors, final int x0, final int x1, final float[] out, final int y0, final int y1)
    {
        for (int row = 0; row < rows; row++)
        {
            out[y0 + row] = dot(matrix, at + row * stride, columns, vectors, x0);
            out[y1 + row] = dot(matrix, at + row * stride, columns, vectors, x1);
        }
    }

    @Override
    void two(final short[] matrix, final int at, final int stride, final int columns, final int rows,
        final float[] vectors, final int x0, final int x1, final float[] out, final int y0, final int y1)
    {
        for (int row = 0; row < rows; row++)
        {
            out[y0 + row] = dot(matrix, at + row * stride, columns, vectors, x0);
            out[y1 + row] = dot(matrix, at + row * stride, columns, vectors, x1);
        }
    }

    @Override
    void four(final float[] matrix, final int at, final int stride, final int columns, final int rows,
        final float[] vectors, final float[] out)
    {
        for (int row = 0; row < rows; row++)
        {
            addWhole(matrix, at + row * stride, columns / LaneSum.LANES * LaneSum.LANES, vectors);
            for (int k = 0; k < TILE; k++)
            {
                out[y[k] + row] = tail(matrix, at + row * stride, columns, vectors, x[k], tile[k]);
            }
        }
    }

    @Override
    void four(final short[] matrix, final int at, final int stride, final int columns, final int rows,
        final float[] vectors, final float[] out)
    {
        for (int row = 0; row < rows; row++)
        {
            addWhole(matrix, at + row * stride, columns / LaneSum.LANES * LaneSum.LANES, vectors);
            for (int k = 0; k < TILE; k++)
            {
                out[y[k] + row] = tail(matrix, at + row * stride, columns, vectors, x[k], tile[k]);
            }
        }
    }

    private float dot(final float[] w, final int at, final int columns, final float[] v, final int x)
    {
        final int whole = columns / LaneSum.LANES * LaneSum.LANES;
        for (int group = 0; group < LaneSum.LANES; group += GROUP)
        {
            float a0 = 0, a1 = 0, a2 = 0, a3 = 0, a4 = 0, a5 = 0, a6 = 0, a7 = 0;
            for (int i = group; i < whole; i += LaneSum.LANES)
            {
                final int m = at + i;
                final int n = x + i;
                a0 += w[m] * v[n];
                a1 += w[m + 1] * v[n + 1];
                a2 += w[m + 2] * v[n + 2];
                a3 += w[m + 3] * v[n + 3];
                a4 += w[m + 4] * v[n + 4];
                a5 += w[m + 5] * v[n + 5];
                a6 += w[m + 6] * v[n + 6];
                a7 += w[m + 7] * v[n + 7];
            }
            keep(group, a0, a1, a2, a3);
            keep(group + GROUP / 2, a4, a5, a6, a7);
        }
        return tail(w, at, columns, v, x, lanes);
    }

    private float dot(final short[] w, final int at, final int columns, final float[] v, final int x)
    {
        final int whole = columns / LaneSum.LANES * LaneSum.LANES;
        for (int group = 0; group < LaneSum.LANES; group += GROUP)
        {
            float a0 = 0, a1 = 0, a2 = 0, a3 = 0, a4 = 0, a5 = 0, a6 = 0, a7 = 0;
            for (int i = group; i < whole; i += LaneSum.LANES)
            {
                final int m = at + i;
                final int n = x + i;
                a0 += widen(w[m]) * v[n];
                a1 += widen(w[m + 1]) * v[n + 1];
                a2 += widen(w[m + 2]) * v[n + 2];
                a3 += widen(w[m + 3]) * v[n + 3];
                a4 += widen(w[m + 4]) * v[n + 4];
                a5 += widen(w[m + 5]) * v[n + 5];
                a6 += widen(w[m + 6]) * v[n + 6];
                a7 += widen(w[m + 7]) * v[n + 7];
            }
            keep(group, a0, a1, a2, a3);
            keep(group + GROUP / 2, a4, a5, a6, a7);
        }
        return tail(w, at, columns, v, x, lanes);
    }

    private void keep(final int lane, final float a, final float b, final float c, final float d)
    {
        lanes[lane] = a;
        lanes[lane + 1] = b;
        lanes[lane + 2] = c;
        lanes[lane + 3] = d;
    }

    private void addWhole(final float[] w, final int at, final int whole, final float[] v)
    {
        final int x0 = x[0];
        final int x1 = x[1];
        final int x2 = x[2];
        final int x3 = x[3];
        for (int lane = 0; lane < LaneSum.LANES; lane += 2)
        {
            float a0 = 0, a1 = 0, b0 = 0, b1 = 0, c0 = 0, c1 = 0, d0 = 0, d1 = 0;
            for (int i = lane; i < whole; i += LaneSum.LANES)
            {
                final float w0 = w[at + i];
                final float w1 = w[at + i + 1];
                a0 += w0 * v[x0 + i];
                a1 += w1 * v[x0 + i + 1];
                b0 += w0 * v[x1 + i];
                b1 += w1 * v[x1 + i + 1];
                c0 += w0 * v[x2 + i];
                c1 += w1 * v[x2 + i + 1];
                d0 += w0 * v[x3 + i];
                d1 += w1 * v[x3 + i + 1];
            }
            keep(lane, a0, a1, b0, b1, c0, c1, d0, d1);
        }
    }

    /** Adds the columns behind the last whole 32, and the lanes. */
    private static float tail(
        final float[] w, final int at, final int columns, final float[] v, final int x, final float[] lanes)
    {
        final int whole = columns / LaneSum.LANES * LaneSum.LANES;
        for (int i = whole; i < columns; i++)
        {
            lanes[i - whole] += w[at + i] * v[x + i];
        }
        return LaneSum.ofLanes(lanes);
    }

    private void addWhole(final short[] w, final int at, final int whole, final float[] v)
    {
        final int x0 = x[0];
        final int x1 = x[1];
        final int x2 = x[2];
        final int x3 = x[3];
        for (int lane = 0; lane < LaneSum.LANES; lane += 2)
        {
            float a0 = 0, a1 = 0, b0 = 0, b1 = 0, c0 = 0, c1 = 0, d0 = 0, d1 = 0;
            for (int i = lane; i < whole; i += LaneSum.LANES)
            {
                final float w0 = widen(w[at + i]);
                final float w1 = widen(w[at + i + 1]);
                a0 += w0 * v[x0 + i];
                a1 += w1 * v[x0 + i + 1];
                b0 += w0 * v[x1 + i];
                b1 += w1 * v[x1 + i + 1];
                c0 += w0 * v[x2 + i];
                c1 += w1 * v[x2 + i + 1];
                d0 += w0 * v[x3 + i];
                d1 += w1 * v[x3 + i + 1];
            }
            keep(lane, a0, a1, b0, b1, c0, c1, d0, d1);
        }
    }

    /** Adds the columns behind the last whole 32, and the lanes. */
    private static float tail(
        final short[] w, final int at, final int columns, final float[] v, final int x, final float[] lanes)
    {
        final int whole = columns / LaneSum.LANES * LaneSum.LANES;
        for (int i = whole; i < columns; i++)
        {
            lanes[i - whole] += widen(w[at + i]) * v[x + i];
        }
        return LaneSum.ofLanes(lanes);
    }

    /** Two lanes of each vector of a tile. */
    private void keep(final int lane, final float a0, final float a1, final float b0, final float b1, final float c0,
        final float c1, final float d0, final float d1)
    {
        tile[0][lane] = a0;
        tile[0][lane + 1] = a1;
        tile[1][lane] = b0;
        tile[1][lane + 1] = b1;
        tile[2][lane] = c0;
        tile[2][lane + 1] = c1;
        tile[3][lane] = d0;
        tile[3][lane + 1] = d1;
    }
}
