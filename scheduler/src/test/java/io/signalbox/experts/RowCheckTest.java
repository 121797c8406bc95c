// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RowCheckTest
{
    private static final int[][] SHAPES = {
        {58, 256, 8}, {2, 64, 8}, {3, 128, 8}, {2, 129, 8}, {1, 8, 8}, {2, 64, 4}, {5, 4, 1}, {2, 256, 1}, {3, 257, 3},
        {2, 32_768, 8}, {1, 10, 2}, {4, 255, 8}, {2, 65_536, 1}, {4, 64, 2},
        {8, 256, 2}, {8, 129, 2}, {4, 128, 4}, {2, 256, 4}, {6, 255, 4}, {8, 40, 1}, {16, 256, 1}, {4, 2, 2}, {3, 16, 4}};

    /** The expected result of the check, computed id by id. */
    private static boolean isSound(final ModelShape shape, final int[] ids)
    {
        for (int layer = 0; layer < shape.moeLayers(); layer++)
        {
            final Set<Integer> named = new HashSet<>();
            for (int k = 0; k < shape.topK(); k++)
            {
                final int id = ids[layer * shape.topK() + k];
                if (id < 0 || id >= shape.experts() || !named.add(id))
                {
                    return false;
                }
            }
        }
        return true;
    }

    private static int[] soundRow(final ModelShape shape, final Random random)
    {
        final int[] ids = new int[shape.rowIds()];
        for (int layer = 0; layer < shape.moeLayers(); layer++)
        {
            final Set<Integer> named = new HashSet<>();
            for (int k = 0; k < shape.topK(); )
            {
                final int id = random.nextInt(shape.experts());
                if (named.add(id))
                {
                    ids[layer * shape.topK() + k++] = id;
                }
            }
        }
        return ids;
    }

    private static void put(
        final UnsafeBuffer rows, final ModelShape shape, final int row, final int[] ids, final int offset)
    {
        for (int i = 0; i < ids.length; i++)
        {
            final int at = offset + row * shape.rowBytes() + i * shape.idBytes();
            if (shape.idBytes() == 1)
            {
                rows.putByte(at, (byte)ids[i]);
            }
            else
            {
                rows.putShort(at, (short)ids[i], ByteOrder.LITTLE_ENDIAN);
            }
        }
    }

    /** Any float32 behind the ids, one in some rows without a finite value; returns whether all are finite. */
    private static boolean putWeights(
        final UnsafeBuffer rows, final ModelShape shape, final int row, final Random random, final int offset)
    {
        boolean finite = true;
        final int bad = random.nextInt(4) == 0 ? random.nextInt(shape.rowIds()) : -1;
        for (int i = 0; i < shape.rowIds() && shape.combineWeights(); i++)
        {
            final float weight = i == bad ? Float.intBitsToFloat(0x7F80_0000 | random.nextInt()) :
                Float.intBitsToFloat(random.nextInt() & 0xFF7F_FFFF);
            final int at = offset + row * shape.rowBytes() + shape.idsBytes() + i * Float.BYTES;
            rows.putFloat(at, weight, ByteOrder.LITTLE_ENDIAN);
            finite &= Float.isFinite(weight);
        }
        return finite;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldFindEveryUnsoundRowAndNoOther(final boolean combineWeights)
    {
        final Random random = new Random(7);
        int found = 0;
        for (final int[] dimensions : SHAPES)
        {
            final ModelShape shape =
                new ModelShape(dimensions[0], dimensions[1], dimensions[2]).withCombineWeights(combineWeights);
            final int storable = shape.idBytes() == 1 ? 256 : 65_536;
            final RowCheck check = new RowCheck(shape);
            for (int round = 0; round < 300; round++)
            {
                final int count = 1 + random.nextInt(5);
                final int offset = random.nextInt(9);
                final boolean direct = random.nextBoolean();
                final int bytes = offset + count * shape.rowBytes();
                final UnsafeBuffer rows =
                    direct ? new UnsafeBuffer(ByteBuffer.allocateDirect(bytes)) : new UnsafeBuffer(new byte[bytes]);
                final boolean[] sound = new boolean[count];
                for (int row = 0; row < count; row++)
                {
                    final int[] ids = soundRow(shape, random);
                    if (random.nextInt(3) == 0)
                    {
                        ids[random.nextInt(ids.length)] =
                            random.nextBoolean() ? random.nextInt(storable) : ids[random.nextInt(ids.length)];
                    }
                    sound[row] = isSound(shape, ids);
                    put(rows, shape, row, ids, offset);
                    sound[row] &= putWeights(rows, shape, row, random, offset);
                }
                int next = 0;
                for (int row = 0; row < count; row++)
                {
                    if (!sound[row])
                    {
                        assertEquals(row, check.firstUnsound(rows, offset, next, count), shape + ", round " + round);
                        next = row + 1;
                        found++;
                    }
                }
                assertEquals(count, check.firstUnsound(rows, offset, next, count), shape + ", round " + round);
            }
        }
        assertTrue(found > 500, found + " rows were unsound");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldTellAMarkedRowFromEverySoundOne(final boolean combineWeights)
    {
        final Random random = new Random(11);
        for (final int[] dimensions : SHAPES)
        {
            final ModelShape shape =
                new ModelShape(dimensions[0], dimensions[1], dimensions[2]).withCombineWeights(combineWeights);
            final UnsafeBuffer row = new UnsafeBuffer(new byte[shape.rowBytes()]);
            for (int round = 0; round < 1000; round++)
            {
                put(row, shape, 0, soundRow(shape, random), 0);
                row.setMemory(shape.idsBytes(), row.capacity() - shape.idsBytes(), (byte)0);
                assertFalse(RowCheck.isMarked(shape, row, 0), shape.toString());
            }
            row.setMemory(0, row.capacity(), (byte)-1);
            // If every id is an expert and a layer names one only, no row of ids is unsound and none can be marked.
            final boolean markable =
                combineWeights || shape.topK() > 1 || shape.experts() != 256 && shape.experts() != 65_536;
            assertEquals(markable, RowCheck.isMarked(shape, row, 0), shape.toString());
            assertEquals(markable ? 0 : 1, new RowCheck(shape).firstUnsound(row, 0, 0, 1), shape.toString());
        }
    }
}
