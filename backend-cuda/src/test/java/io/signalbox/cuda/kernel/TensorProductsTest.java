// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.cuda.driver.EmulatedDriver;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The products of the fast family are within the error of float32 sums in any order, for any number of rows, columns,
 * vectors and choices; every tiling, order of warps and company in the step has the same bits.
 */
class TensorProductsTest
{
    /** Of one addition; tensor cores may cut off what a processor rounds. */
    private static final double ERROR = 0x1p-23;
    /** Of rounding to bf16. */
    private static final double HALF_STEP = 0x1p-8;
    private static final int[] STARTS = {0, 1, 1, 8, 16, 25, 58, 58};
    private static final int EXPERTS = STARTS.length - 1;
    private static final int CHOICES = 58;

    private TensorRig rig;

    @BeforeEach
    void open()
    {
        EmulatedDriver.assumeAvailable();
        rig = new TensorRig();
    }

    /** A sum of products, and the most by which float32 may miss it. */
    private record Sum(double value, double error)
    {
        static Sum of(final float[] left, final int leftAt, final float[] right, final int rightAt, final int columns)
        {
            double sum = 0;
            double magnitude = 0;
            for (int i = 0; i < columns; i++)
            {
                final double product = (double)left[leftAt + i] * right[rightAt + i];
                sum += product;
                magnitude += Math.abs(product);
            }
            return new Sum(sum, ERROR * (columns + 4) * magnitude);
        }

        /** Not for NaN. */
        boolean holds(final float found)
        {
            return Math.abs(found - value) <= error;
        }
    }

    private float[] linear(final TensorTile tile, final float[] weights, final int rows, final float[] in, final int count)
    {
        return rig.linear(tile.kernel(KernelNames.TENSOR_LINEAR), tile.linearBytes(), weights, rows, in, count);
    }

    static int wrong(final float[] found, final float[] weights, final int rows, final float[] in, final int columns)
    {
        int wrong = 0;
        for (int i = 0; i < found.length; i++)
        {
            wrong += Sum.of(weights, i % rows * columns, in, i / rows * columns, columns).holds(found[i]) ? 0 : 1;
        }
        return wrong;
    }

    @ParameterizedTest
    @CsvSource({"1, 8, 1", "16, 64, 8", "17, 40, 9", "70, 264, 33", "129, 72, 65", "40, 520, 2"})
    void shouldMultiplyAnyShapeInOneOrderOfSums(final int rows, final int columns, final int count)
    {
        final SplittableRandom random = new SplittableRandom(rows);
        final float[] weights = TensorRig.values(rows * columns, random);
        final float[] in = TensorRig.values(count * columns, random);
        final float[] found = linear(TensorTile.V8, weights, rows, in, count);
        assertEquals(0, wrong(found, weights, rows, in, columns));
        for (final EmulatedDriver.Order order : EmulatedDriver.Order.values())
        {
            EmulatedDriver.order(order, rows);
            final TensorTile tile = TensorTile.values()[order.ordinal()];
            assertArrayEquals(found, linear(tile, weights, rows, in, count), 0.0f, tile + " " + order);
        }
        final float[] last = Arrays.copyOfRange(in, (count - 1) * columns, count * columns);
        assertArrayEquals(Arrays.copyOfRange(found, (count - 1) * rows, count * rows),
            linear(TensorTile.V8, weights, rows, last, 1), 0.0f, "alone");
    }

    @Test
    void shouldMultiplySeveralMatricesAtATimeAsOneByOne()
    {
        final SplittableRandom random = new SplittableRandom(11);
        final int columns = 72;
        final int count = 9;
        final float[] in = TensorRig.values(count * columns, random);
        final float[][] matrices = {TensorRig.values(40 * columns, random), TensorRig.values(columns, random),
            TensorRig.values(17 * columns, random)};
        for (final TensorTile tile : TensorTile.values())
        {
            final float[][] found = rig.linear(tile, matrices, columns, in, count);
            for (int i = 0; i < matrices.length; i++)
            {
                final float[] alone = linear(TensorTile.V8, matrices[i], matrices[i].length / columns, in, count);
                assertArrayEquals(alone, found[i], 0.0f, tile + ", matrix " + i);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"swapped_fragment", "dropped_columns", "early_reads"})
    void shouldFindPlantedErrors(final String planted)
    {
        final SplittableRandom random = new SplittableRandom(3);
        final int rows = 17;
        final int columns = 72;
        final float[] weights = TensorRig.values(rows * columns, random);
        final float[] in = TensorRig.values(9 * columns, random);
        final float[] found =
            rig.linear("test_linear_" + planted, TensorTile.V8.linearBytes(), weights, rows, in, 9);
        assertTrue(wrong(found, weights, rows, in, columns) > found.length / 2, planted);
    }

    private static int expertOf(final int place, final int... starts)
    {
        int expert = 0;
        while (starts[expert + 1] <= place)
        {
            expert++;
        }
        return expert;
    }

    @Test
    void shouldMultiplyTheChoicesOfEachExpertInOneOrderOfSums()
    {
        final SplittableRandom random = new SplittableRandom(5);
        final int width = 40;
        final int hidden = 72;
        final int[] tokens = random.ints(CHOICES, 0, 12).toArray();
        final float[] in = TensorRig.values(12 * hidden, random);
        final float[] gates = TensorRig.values(EXPERTS * width * hidden, random);
        final float[] others = TensorRig.values(EXPERTS * width * hidden, random);
        final float[] found = rig.expertUp(TensorTile.V8, gates, others, width, hidden, STARTS, tokens, in);
        for (int i = 0; i < found.length; i++)
        {
            final int place = i / width;
            final int row = (expertOf(place, STARTS) * width + i % width) * hidden;
            final Sum gate = Sum.of(gates, row, in, tokens[place] * hidden, hidden);
            final Sum other = Sum.of(others, row, in, tokens[place] * hidden, hidden);
            final double silu = gate.value / (1 + Math.exp(-gate.value));
            // The slope of SiLU is below 1.1; e^x, the division and the product have some errors too.
            final double product = silu * other.value;
            final double error = 1.1 * (gate.error + HALF_STEP * Math.abs(gate.value)) * Math.abs(other.value) +
                Math.abs(silu) * other.error + (3 * HALF_STEP + 8 * ERROR) * Math.abs(product);
            assertEquals(product, found[i], 1.01 * error, "place " + place + ", row " + i % width);
        }
        for (final TensorTile tile : TensorTile.values())
        {
            assertArrayEquals(
                found, rig.expertUp(tile, gates, others, width, hidden, STARTS, tokens, in), 0.0f, tile.name());
        }
    }

    private static int wrongDown(
        final float[] found, final float[] weights, final int width, final int hidden, final float[] inner)
    {
        int wrong = 0;
        for (int i = 0; i < found.length; i++)
        {
            final int row = expertOf(i / hidden, STARTS) * hidden + i % hidden;
            wrong += Sum.of(weights, row * width, inner, i / hidden * width, width).holds(found[i]) ? 0 : 1;
        }
        return wrong;
    }

    @Test
    void shouldReturnTheChoicesOfEachExpertAndFindAGroupThatIsOffByOne()
    {
        final SplittableRandom random = new SplittableRandom(7);
        final int width = 40;
        final int hidden = 70;
        final float[] inner = TensorRig.values(CHOICES * width, random);
        final float[] weights = TensorRig.values(EXPERTS * hidden * width, random);
        for (final TensorTile tile : TensorTile.values())
        {
            final float[] found = rig.expertDown(tile, weights, width, hidden, STARTS, inner);
            assertEquals(0, wrongDown(found, weights, width, hidden, inner), tile.name());
        }
        final int[] off = STARTS.clone();
        off[4]++;
        final float[] found = rig.expertDown(TensorTile.V8, weights, width, hidden, off, inner);
        assertTrue(wrongDown(found, weights, width, hidden, inner) > hidden / 2);
    }

    /** More experts than lanes of a warp. */
    @Test
    void shouldFindTheTilesOfManyExperts()
    {
        final SplittableRandom random = new SplittableRandom(9);
        final int experts = 70;
        final int[] starts = new int[experts + 1];
        for (int i = 0; i < experts; i++)
        {
            starts[i + 1] = starts[i] + (i % 3 == 0 ? 0 : random.nextInt(3));
        }
        final float[] inner = TensorRig.values(starts[experts] * 8, random);
        final float[] weights = TensorRig.values(experts * 8, random);
        final float[] found = rig.expertDown(TensorTile.V8, weights, 8, 1, starts, inner);
        for (int place = 0; place < found.length; place++)
        {
            final Sum sum = Sum.of(weights, expertOf(place, starts) * 8, inner, place * 8, 8);
            assertTrue(sum.holds(found[place]), "place " + place);
        }
    }
}
