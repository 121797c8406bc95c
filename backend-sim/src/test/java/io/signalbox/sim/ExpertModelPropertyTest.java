// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.experts.ModelShape;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** 200 tries in every build: each draws whole tables of expert sets. */
class ExpertModelPropertyTest
{
    private static final int ROWS = 50;

    @Provide
    Arbitrary<ModelShape> shapes()
    {
        return Combinators.combine(
            Arbitraries.integers().between(1, 12), Arbitraries.of(1, 2, 8, 64, 256, 257, 400),
            Arbitraries.integers().between(1, 9))
            .as((layers, experts, topK) -> new ModelShape(layers, experts, Math.min(experts, topK)));
    }

    /** Rows of consecutive keys. */
    private static byte[] rows(final ExpertModel model, final long firstKey, final int rowCount)
    {
        final byte[] bytes = new byte[rowCount * model.shape().rowBytes() + 3];
        int at = 3;
        for (int row = 0; row < rowCount; row++)
        {
            at = model.writeRow(firstKey + row, new UnsafeBuffer(bytes), at);
        }
        return bytes;
    }

    private static int id(final ModelShape shape, final byte[] rows, final int index)
    {
        return shape.idBytes() == 1 ?
            rows[3 + index] & 0xFF : new UnsafeBuffer(rows).getShort(3 + 2 * index, ByteOrder.LITTLE_ENDIAN);
    }

    @Property(tries = 200)
    void shouldGiveDistinctExpertsInRange(
        @ForAll("shapes") final ModelShape shape,
        @ForAll final long seed,
        @ForAll @DoubleRange(min = 0.0, max = 5.0) final double skew)
    {
        final byte[] rows = rows(new ExpertModel(shape, seed, skew), 7, ROWS);
        final int sets = ROWS * shape.moeLayers();
        for (int set = 0; set < sets; set++)
        {
            final int[] ids = new int[shape.topK()];
            for (int k = 0; k < ids.length; k++)
            {
                ids[k] = id(shape, rows, set * shape.topK() + k);
                assertTrue(ids[k] >= 0 && ids[k] < shape.experts(), "expert " + ids[k]);
            }
            assertEquals(ids.length, Arrays.stream(ids).distinct().count());
        }
    }

    @Property(tries = 200)
    void shouldGiveARowByItsKeyAlone(
        @ForAll("shapes") final ModelShape shape, @ForAll final long seed, @ForAll @IntRange(max = ROWS) final int fewer)
    {
        final byte[] all = rows(new ExpertModel(shape, seed, 0.7), 9, ROWS);
        final byte[] some = rows(new ExpertModel(shape, seed, 0.7), 9, fewer);
        assertArrayEquals(some, Arrays.copyOf(all, some.length));
    }

    @Example
    void shouldGiveOtherRowsForAnotherSeedOrKey()
    {
        final ModelShape shape = new ModelShape(4, 64, 2);
        final ExpertModel model = new ExpertModel(shape, 1, 0.7);
        final byte[] rows = rows(model, 0, ROWS);
        assertArrayEquals(rows, rows(model, 0, ROWS));
        assertFalse(Arrays.equals(rows, rows(model, 1, ROWS)));
        assertFalse(Arrays.equals(rows, rows(new ExpertModel(shape, 2, 0.7), 0, ROWS)));
    }

    @Example
    void shouldGiveTheSameRowsOnEveryJvm()
    {
        // Computed once and written down; when it changes, ExpertModel.VERSION must rise.
        final CRC32C checksum = new CRC32C();
        checksum.update(rows(new ExpertModel(new ModelShape(6, 300, 3), 42, 0.7), 1234567890123L, 1000));
        assertEquals(667852246L, checksum.getValue());
        assertEquals(2, ExpertModel.VERSION);
    }

    @Example
    void shouldLoadExpertsUnevenlyAndEachLayerDifferently()
    {
        final ModelShape shape = new ModelShape(2, 32, 8);
        final int[][] skewed = counts(shape, 0.7);
        final int mean = 20_000 * 8 / 32;
        for (final int[] layer : skewed)
        {
            final double maxOverMean = (double)Arrays.stream(layer).max().orElseThrow() / mean;
            assertEquals(3.1, maxOverMean, 0.2);
        }
        assertFalse(busiest(skewed[0]) == busiest(skewed[1]) && skewed[0][1] == skewed[1][1]);
        for (final int[] layer : counts(shape, 0.0))
        {
            assertEquals(1.0, (double)Arrays.stream(layer).max().orElseThrow() / mean, 0.15);
        }
    }

    private static int[][] counts(final ModelShape shape, final double skew)
    {
        final byte[] rows = rows(new ExpertModel(shape, 11, skew), 0, 20_000);
        final int[][] counts = new int[shape.moeLayers()][shape.experts()];
        for (int index = 0; index < 20_000 * shape.moeLayers() * shape.topK(); index++)
        {
            counts[index / shape.topK() % shape.moeLayers()][id(shape, rows, index)]++;
        }
        return counts;
    }

    private static int busiest(final int[] counts)
    {
        int busiest = 0;
        for (int expert = 0; expert < counts.length; expert++)
        {
            busiest = counts[expert] > counts[busiest] ? expert : busiest;
        }
        return busiest;
    }
}
