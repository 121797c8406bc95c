// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Products by the Vector API, 8 lanes per vector: four vectors are the 32 lanes of a sum. Loaded by name only if the JVM
 * has the module. One vector and two vectors are written out, because the compiler keeps more sums in memory.
 */
final class VectorRowProducts extends RowProducts
{
    private static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_256;
    private static final VectorSpecies<Integer> INTS = IntVector.SPECIES_256;
    private static final VectorSpecies<Short> SHORTS = ShortVector.SPECIES_128;
    private static final int L = 8;

    private final float[] others = new float[LaneSum.LANES];

    VectorRowProducts()
    {
        if (FloatVector.SPECIES_PREFERRED.length() < L)
        {
            throw new LinkageError("vectors of this machine have fewer than " + L + " lanes");
        }
    }

    private static FloatVector load(final short[] w, final int at)
    {
        return ((IntVector)ShortVector.fromArray(SHORTS, w, at).convertShape(VectorOperators.S2I, INTS, 0))
            .lanewise(VectorOperators.LSHL, Short.SIZE).reinterpretAsFloats();
    }

    private static FloatVector load(final float[] w, final int at)
    {
        return FloatVector.fromArray(FLOATS, w, at);
    }

    private static void keep(
        final float[] to, final FloatVector a, final FloatVector b, final FloatVector c, final FloatVector d)
    {
        a.intoArray(to, 0);
        b.intoArray(to, L);
        c.intoArray(to, 2 * L);
        d.intoArray(to, 3 * L);
    }

    /** The sum of 32 lanes: the first two exchanges in vectors. */
    private static float sum(
        final float[] t, final FloatVector a, final FloatVector b, final FloatVector c, final FloatVector d)
    {
        a.add(c).add(b.add(d)).intoArray(t, 0);
        return t[0] + t[4] + (t[2] + t[6]) + (t[1] + t[5] + (t[3] + t[7]));
    }

    private static float tail(final float[] w, final int from, final int to, final float[] v, final int x, final float[] t)
    {
        for (int i = from; i < to; i++)
        {
            t[i - from] += w[i] * v[x + i - from];
        }
        return LaneSum.ofLanes(t);
    }

    private static float tail(final short[] w, final int from, final int to, final float[] v, final int x, final float[] t)
    {
        for (int i = from; i < to; i++)
        {
            t[i - from] += widen(w[i]) * v[x + i - from];
        }
        return LaneSum.ofLanes(t);
    }

    @Override
    void one(final float[] matrix, final int at, final int stride, final int columns, final int rows,
        final float[] v, final int x, final float[] out, final int y)
    {
        final int whole = columns / LaneSum.LANES * LaneSum.LANES;
        for (int row = 0; row < rows; row++)
        {
            final int m = at + row * stride;
            FloatVector a = FloatVector.zero(FLOATS);
            FloatVector b = a;
            FloatVector c = a;
            FloatVector d = a;
            for (int i = 0; i < whole; i += LaneSum.LANES)
            {
                a = a.add(load(matrix, m + i).mul(load(v, x + i)));
                b = b.add(load(matrix, m + i + L).mul(load(v, x + i + L)));
                c = c.add(load(matrix, m + i + 2 * L).mul(load(v, x + i + 2 * L)));
                d = d.add(load(matrix, m + i + 3 * L).mul(load(v, x + i + 3 * L)));
            }
            if (whole == columns)
            {
                out[y + row] = sum(lanes, a, b, c, d);
            }
            else
            {
                keep(lanes, a, b, c, d);
                out[y + row] = tail(matrix, m + whole, m + columns, v, x + whole, lanes);
            }
        }
    }

    @Override
    void one(final short[] matrix, final int at, final int stride, final int columns, final int rows,
        final float[] v, final int x, final float[] out, final int y)
    {
        final int whole = columns / LaneSum.LANES * LaneSum.LANES;
        for (int row = 0; row < rows; row++)
        {
            final int m = at + row * stride;
            FloatVector a = FloatVector.zero(FLOATS);
            FloatVector b = a;
            FloatVector c = a;
            FloatVector d = a;
            for (int i = 0; i < whole; i += LaneSum.LANES)
            {
                a = a.add(load(matrix, m + i).mul(load(v, x + i)));
                b = b.add(load(matrix, m + i + L).mul(load(v, x + i + L)));
                c = c.add(load(matrix, m + i + 2 * L).mul(load(v, x + i + 2 * L)));
                d = d.add(load(matrix, m + i + 3 * L).mul(load(v, x + i + 3 * L)));
            }
            if (whole == columns)
            {
                out[y + row] = sum(lanes, a, b, c, d);
            }
            else
            {
                keep(lanes, a, b, c, d);
                out[y + row] = tail(matrix, m + whole, m + columns, v, x + whole, lanes);
            }
        }
    }

    @Override
    void two(final float[] matrix, final int at, final int stride, final int columns, final int rows,
        final float[] v, final int x0, final int x1, final float[] out, final int y0, final int y1)
    {
        final int whole = columns / LaneSum.LANES * LaneSum.LANES;
        for (int row = 0; row < rows; row++)
        {
            final int m = at + row * stride;
            FloatVector a = FloatVector.zero(FLOATS);
            FloatVector b = a;
            FloatVector c = a;
            FloatVector d = a;
            FloatVector e = a;
            FloatVector f = a;
            FloatVector g = a;
            FloatVector h = a;
            for (int i = 0; i < whole; i += LaneSum.LANES)
            {
                FloatVector w = load(matrix, m + i);
                a = a.add(w.mul(load(v, x0 + i)));
                e = e.add(w.mul(load(v, x1 + i)));
                w = load(matrix, m + i + L);
                b = b.add(w.mul(load(v, x0 + i + L)));
                f = f.add(w.mul(load(v, x1 + i + L)));
                w = load(matrix, m + i + 2 * L);
                c = c.add(w.mul(load(v, x0 + i + 2 * L)));
                g = g.add(w.mul(load(v, x1 + i + 2 * L)));
                w = load(matrix, m + i + 3 * L);
                d = d.add(w.mul(load(v, x0 + i + 3 * L)));
                h = h.add(w.mul(load(v, x1 + i + 3 * L)));
            }
            if (whole == columns)
            {
                out[y0 + row] = sum(lanes, a, b, c, d);
                out[y1 + row] = sum(others, e, f, g, h);
            }
            else
            {
                keep(lanes, a, b, c, d);
                keep(others, e, f, g, h);
                out[y0 + row] = tail(matrix, m + whole, m + columns, v, x0 + whole, lanes);
                out[y1 + row] = tail(matrix, m + whole, m + columns, v, x1 + whole, others);
            }
        }
    }

    @Override
    void two(final short[] matrix, final int at, final int stride, final int columns, final int rows,
        final float[] v, final int x0, final int x1, final float[] out, final int y0, final int y1)
    {
        final int whole = columns / LaneSum.LANES * LaneSum.LANES;
        for (int row = 0; row < rows; row++)
        {
            final int m = at + row * stride;
            FloatVector a = FloatVector.zero(FLOATS);
            FloatVector b = a;
            FloatVector c = a;
            FloatVector d = a;
            FloatVector e = a;
            FloatVector f = a;
            FloatVector g = a;
            FloatVector h = a;
            for (int i = 0; i < whole; i += LaneSum.LANES)
            {
                FloatVector w = load(matrix, m + i);
                a = a.add(w.mul(load(v, x0 + i)));
                e = e.add(w.mul(load(v, x1 + i)));
                w = load(matrix, m + i + L);
                b = b.add(w.mul(load(v, x0 + i + L)));
                f = f.add(w.mul(load(v, x1 + i + L)));
                w = load(matrix, m + i + 2 * L);
                c = c.add(w.mul(load(v, x0 + i + 2 * L)));
                g = g.add(w.mul(load(v, x1 + i + 2 * L)));
                w = load(matrix, m + i + 3 * L);
                d = d.add(w.mul(load(v, x0 + i + 3 * L)));
                h = h.add(w.mul(load(v, x1 + i + 3 * L)));
            }
            if (whole == columns)
            {
                out[y0 + row] = sum(lanes, a, b, c, d);
                out[y1 + row] = sum(others, e, f, g, h);
            }
            else
            {
                keep(lanes, a, b, c, d);
                keep(others, e, f, g, h);
                out[y0 + row] = tail(matrix, m + whole, m + columns, v, x0 + whole, lanes);
                out[y1 + row] = tail(matrix, m + whole, m + columns, v, x1 + whole, others);
            }
        }
    }
}
