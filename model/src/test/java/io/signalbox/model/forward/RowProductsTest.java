// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Every implementation of products has the bits of the order that {@link LaneSum} states. */
class RowProductsTest
{
    /** The order, lane by lane, as a warp of a GPU would compute it: in each exchange every lane adds its partner's sum. */
    private static float stated(final float[] w, final int at, final float[] v, final int x, final int count)
    {
        float[] lanes = new float[32];
        for (int lane = 0; lane < 32; lane++)
        {
            for (int i = lane; i < count; i += 32)
            {
                final float product = w[at + i] * v[x + i];
                lanes[lane] = lanes[lane] + product;
            }
        }
        for (final int distance : new int[] {16, 8, 4, 2, 1})
        {
            final float[] sums = new float[32];
            for (int lane = 0; lane < 32; lane++)
            {
                sums[lane] = lanes[lane] + lanes[lane ^ distance];
            }
            lanes = sums;
        }
        return lanes[0];
    }

    @Test
    void shouldUseTheVectorApiWhereTheJvmHasIt()
    {
        assertEquals("Vector API", RowProducts.CHOICE.description(), "this module's tests run with the module");
    }

    @Property(tries = 300)
    void shouldHaveTheBitsOfTheStatedOrder(
        @ForAll final long seed, @ForAll @IntRange(min = 1, max = 200) final int columns,
        @ForAll @IntRange(min = 1, max = 9) final int rows)
    {
        final SplittableRandom random = new SplittableRandom(seed);
        final int stride = columns + random.nextInt(4);
        final int at = random.nextInt(5);
        final float[] floats = new float[at + rows * stride];
        final short[] halves = new short[floats.length];
        final float[] widened = new float[floats.length];
        for (int i = 0; i < floats.length; i++)
        {
            floats[i] = value(random);
            halves[i] = (short)(Float.floatToIntBits(value(random)) >>> 16);
            widened[i] = RowProducts.widen(halves[i]);
        }
        final float[] vectors = new float[3 + 2 * columns];
        for (int i = 0; i < vectors.length; i++)
        {
            vectors[i] = value(random);
        }
        for (final RowProducts products : new RowProducts[] {new PlainRowProducts(), RowProducts.fastest()})
        {
            final float[] out = new float[6 * rows];
            products.one(floats, at, stride, columns, rows, vectors, 3, out, 0);
            products.one(halves, at, stride, columns, rows, vectors, 3, out, rows);
            products.two(floats, at, stride, columns, rows, vectors, 3, 3 + columns, out, 2 * rows, 3 * rows);
            products.two(halves, at, stride, columns, rows, vectors, 3, 3 + columns, out, 4 * rows, 5 * rows);
            for (int row = 0; row < rows; row++)
            {
                final int w = at + row * stride;
                final float first = stated(floats, w, vectors, 3, columns);
                final float firstHalf = stated(widened, w, vectors, 3, columns);
                same(first, out[row]);
                same(firstHalf, out[rows + row]);
                same(first, out[2 * rows + row]);
                same(stated(floats, w, vectors, 3 + columns, columns), out[3 * rows + row]);
                same(firstHalf, out[4 * rows + row]);
                same(stated(widened, w, vectors, 3 + columns, columns), out[5 * rows + row]);
            }
        }
    }

    @Property(tries = 300)
    void shouldMultiplyATileOfFourVectorsInTheSameOrder(
        @ForAll final long seed, @ForAll @IntRange(min = 1, max = 200) final int columns,
        @ForAll @IntRange(min = 1, max = 9) final int rows)
    {
        final SplittableRandom random = new SplittableRandom(seed);
        final int stride = columns + random.nextInt(4);
        final float[] floats = new float[2 + rows * stride];
        final short[] halves = new short[floats.length];
        for (int i = 0; i < floats.length; i++)
        {
            halves[i] = (short)(Float.floatToIntBits(value(random)) >>> 16);
            floats[i] = RowProducts.widen(halves[i]);
        }
        final float[] vectors = new float[4 * columns];
        for (int i = 0; i < vectors.length; i++)
        {
            vectors[i] = value(random);
        }
        final int[] order = {2, 0, 3, 1};
        for (final RowProducts products : new RowProducts[] {new PlainRowProducts(), RowProducts.fastest()})
        {
            final float[] ofFloats = new float[4 * rows];
            final float[] ofHalves = new float[4 * rows];
            for (int k = 0; k < order.length; k++)
            {
                products.x[k] = order[k] * columns;
                products.y[k] = k * rows;
            }
            products.four(floats, 2, stride, columns, rows, vectors, ofFloats);
            products.four(halves, 2, stride, columns, rows, vectors, ofHalves);
            for (int i = 0; i < ofFloats.length; i++)
            {
                final float expected = stated(floats, 2 + i % rows * stride, vectors, order[i / rows] * columns, columns);
                same(expected, ofFloats[i]);
                same(expected, ofHalves[i]);
            }
        }
    }

    /** Values of very different sizes, so that another order would have other bits; zeros of both signs among them. */
    private static float value(final SplittableRandom random)
    {
        final int kind = random.nextInt(12);
        return kind == 0 ? 0.0f : kind == 1 ? -0.0f : (float)Math.scalb(random.nextDouble(-1, 1), random.nextInt(20));
    }

    private static void same(final float expected, final float actual)
    {
        assertEquals(Float.floatToRawIntBits(expected), Float.floatToRawIntBits(actual), expected + " and " + actual);
    }

    @Property(tries = 200)
    void shouldAddUpInTheSameOrder(@ForAll final long seed, @ForAll @IntRange(min = 1, max = 150) final int count)
    {
        final SplittableRandom random = new SplittableRandom(seed);
        final float[] values = new float[count];
        final float[] ones = new float[count];
        for (int i = 0; i < count; i++)
        {
            values[i] = value(random);
            ones[i] = 1.0f;
        }
        same(stated(values, 0, ones, 0, count), LaneSum.of(values, 0, count, new float[32]));
        same(stated(values, 0, values, 0, count), LaneSum.ofSquares(values, 0, count, new float[32]));
    }
}
