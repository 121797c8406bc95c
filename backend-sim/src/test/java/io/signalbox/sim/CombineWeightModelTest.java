// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RowCheck;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class CombineWeightModelTest
{
    private static final int ROWS = 200;

    private static byte[] rows(final ModelShape shape, final long seed)
    {
        final ExpertModel model = new ExpertModel(shape, seed, 0.7);
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[ROWS * shape.rowBytes()]);
        int at = 0;
        for (int row = 0; row < ROWS; row++)
        {
            at = model.writeRow(77 + row, buffer, at);
            assertEquals((row + 1) * shape.rowBytes(), at);
        }
        return buffer.byteArray();
    }

    @ParameterizedTest
    @CsvSource({"4,64,2", "3,64,2", "58,256,8", "6,300,3", "1,8,1", "2,128,64"})
    void shouldWriteDescendingWeightsOfSumOneBehindTheSameIds(final int layers, final int experts, final int topK)
    {
        final ModelShape plain = new ModelShape(layers, experts, topK);
        final ModelShape shape = plain.withCombineWeights(true);
        final byte[] ids = rows(plain, 5);
        final byte[] rows = rows(shape, 5);
        final UnsafeBuffer buffer = new UnsafeBuffer(rows);
        for (int row = 0; row < ROWS; row++)
        {
            final int start = row * shape.rowBytes();
            assertArrayEquals(Arrays.copyOfRange(ids, row * plain.rowBytes(), (row + 1) * plain.rowBytes()),
                Arrays.copyOfRange(rows, start, start + shape.idsBytes()));
            for (int layer = 0; layer < layers; layer++)
            {
                assertWeights(buffer, start + shape.idsBytes() + layer * topK * Float.BYTES, topK);
            }
        }
        assertEquals(ROWS, new RowCheck(shape).firstUnsound(buffer, 0, 0, ROWS));
        assertArrayEquals(rows, rows(shape, 5));
        assertFalse(Arrays.equals(rows, rows(shape, 6)));
    }

    private static void assertWeights(final UnsafeBuffer rows, final int start, final int topK)
    {
        float last = 1f;
        double sum = 0;
        for (int k = 0; k < topK; k++)
        {
            final float weight = rows.getFloat(start + k * Float.BYTES, ByteOrder.LITTLE_ENDIAN);
            assertTrue(weight > 0 && weight <= last, "weight " + weight + " behind " + last);
            last = weight;
            sum += weight;
        }
        assertEquals(1.0, sum, 1e-5);
    }

    @Test
    void shouldGiveTheSameWeightsOnEveryJvm()
    {
        // Computed once and written down; when it changes, ExpertModel.VERSION must rise.
        final CRC32C checksum = new CRC32C();
        checksum.update(rows(new ModelShape(6, 300, 3).withCombineWeights(true), 42));
        assertEquals(1201383169L, checksum.getValue());
    }
}
