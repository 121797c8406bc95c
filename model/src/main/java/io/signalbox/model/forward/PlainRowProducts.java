// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

/** Plain loops: eight lanes at a time, so that their sums stay in registers and do not wait for one another. */
final class PlainRowProducts extends RowProducts
{
    private static final int GROUP = 8;

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
        for (int i = whole; i < columns; i++)
        {
            lanes[i - whole] += w[at + i] * v[x + i];
        }
        return LaneSum.ofLanes(lanes);
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
        for (int i = whole; i < columns; i++)
        {
            lanes[i - whole] += widen(w[at + i]) * v[x + i];
        }
        return LaneSum.ofLanes(lanes);
    }

    private void keep(final int lane, final float a, final float b, final float c, final float d)
    {
        lanes[lane] = a;
        lanes[lane + 1] = b;
        lanes[lane + 2] = c;
        lanes[lane + 3] = d;
    }
}
