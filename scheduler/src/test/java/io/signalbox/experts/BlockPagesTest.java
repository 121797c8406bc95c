// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class BlockPagesTest
{
    private static final ModelShape SHAPE = new ModelShape(3, 256, 8);
    private final RoutedExpertPages pages = new RoutedExpertPages(SHAPE, 4);
    private final BlockPages blockPages = new BlockPages(pages, 5);

    private static int[][] rows(final ModelShape shape, final int count)
    {
        return IntStream.range(0, count).mapToObj(i -> ExpertRows.distinct(shape, 100 + i)).toArray(int[][]::new);
    }

    private static CapturedRows captured(final int count)
    {
        return ExpertRows.captured(rows(SHAPE, count), ExpertIdType.INT16, false);
    }

    @Test
    void shouldDropTokensOfTheDummyBlockUnseen()
    {
        final int[][] rows = rows(SHAPE, 3);
        rows[1][0] = 9999;
        final CapturedRows captured = ExpertRows.captured(rows, ExpertIdType.INT16, false);
        assertEquals(2, blockPages.storeRoutingPerBlock(new int[] {0, 4, 1}, new int[] {3, -7, 0}, 3, captured));
        assertFalse(blockPages.hasRouting(4));
        assertTrue(blockPages.hasRouting(0) && blockPages.hasRouting(1));
    }

    /** Rows that come alone take a short way. */
    @Test
    void shouldStoreRowsOneByOneAsRowsAtOnce()
    {
        final int rowBytes = SHAPE.rowBytes();
        final UnsafeBuffer rows = new UnsafeBuffer(new byte[4 * rowBytes]);
        for (int row = 0; row < 4; row++)
        {
            final int[] ids = ExpertRows.distinct(SHAPE, row);
            for (int i = 0; i < ids.length; i++)
            {
                rows.putByte(row * rowBytes + i, (byte)ids[i]);
            }
        }
        rows.setMemory(2 * rowBytes, rowBytes, (byte)-1);
        final RoutedExpertPages others = new RoutedExpertPages(SHAPE, 4);
        final BlockPages oneByOne = new BlockPages(others, 5);
        blockPages.store(1, 1, 1, rows, rowBytes);
        assertEquals(1, oneByOne.store(1, 1, 1, rows, rowBytes));

        assertEquals(2, blockPages.store(1, 0, 4, rows, 0));
        assertEquals(1, blockPages.rowsAlreadyThere());
        final int[] stored = new int[4];
        final int[] alreadyThere = new int[4];
        for (int row = 0; row < 4; row++)
        {
            stored[row] = oneByOne.storeRow(1, row, rows.byteArray(), row * rowBytes) ? 1 : 0;
            alreadyThere[row] = oneByOne.rowsAlreadyThere();
        }
        assertArrayEquals(new int[] {1, 0, 0, 1}, stored);
        assertArrayEquals(new int[] {0, 1, 0, 0}, alreadyThere);
        assertEquals(pages.digest(), others.digest());
        assertEquals(pages.recomputeDigest(), others.digest());
        assertEquals(3, oneByOne.validRows(1, 0, 4));
    }

    @Test
    void shouldStoreNothingForNullRowsAndForNoTokens()
    {
        assertEquals(0, blockPages.storeRoutingPerBlock(new int[] {0}, new int[] {0}, 1, null));
        assertEquals(0, blockPages.storeRoutingPerBlock(new int[0], new int[0], 0, captured(2)));
        assertEquals(0, blockPages.storeBlockRouting(0, new int[0], 0, captured(1)));
        assertEquals(0, pages.livePages());
    }

    @Test
    void shouldSeeThatTheBufferOfCapturedRowsMovedToOtherMemory()
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[SHAPE.rowIds() * Short.BYTES]);
        final CapturedRows captured = new CapturedRows().wrap(buffer, 0, 1, ExpertIdType.INT16);
        for (int block = 0; block < 2; block++)
        {
            final int[] row = ExpertRows.distinct(SHAPE, block);
            buffer.wrap(new byte[SHAPE.rowIds() * Short.BYTES]);
            for (int i = 0; i < row.length; i++)
            {
                ExpertRows.put(buffer, i * Short.BYTES, ExpertIdType.INT16, row[i]);
            }
            blockPages.storeBlockRouting(block, new int[] {0}, 1, captured);
            final UnsafeBuffer read = new UnsafeBuffer(new byte[4 * SHAPE.rowIds() * Short.BYTES]);
            assertTrue(blockPages.getBlockRouting(block, ExpertIdType.INT16, read, 0));
            assertArrayEquals(row, ExpertRows.read(read, 0, row.length, ExpertIdType.INT16));
        }
    }

    @Test
    void shouldNameTheRowTheBlockTheLayerAndTheExpert()
    {
        final int[][] rows = rows(SHAPE, 2);
        rows[1][17] = 256;
        final String message = assertThrows(RoutedExpertsException.class, () -> blockPages.storeRoutingPerBlock(
            new int[] {0, 2}, new int[] {0, 3}, 2, ExpertRows.captured(rows, ExpertIdType.INT16, false))).getMessage();
        assertEquals("row 1, for position 3 of block 2, names expert 256 in MoE layer 2, but experts are 0 to 255; " +
            "nothing was stored.", message);
    }

    @Test
    void shouldStoreIdsAsNarrowAsTheNumberOfExpertsAllows()
    {
        for (final int experts : new int[] {256, 257, 65_536, 65_537, ModelShape.MAX_EXPERTS})
        {
            final ModelShape shape = new ModelShape(1, experts, 2);
            assertEquals(experts <= 256 ? 1 : experts <= 65_536 ? 2 : 4, shape.idBytes());
            final BlockPages wide = new BlockPages(new RoutedExpertPages(shape, 1), 2);
            final int[][] row = {{experts - 1, 0}};
            wide.storeBlockRouting(0, new int[] {0}, 1, ExpertRows.captured(row, ExpertIdType.INT32, false));
            final UnsafeBuffer read = new UnsafeBuffer(new byte[2 * Integer.BYTES]);
            for (final ExpertIdType type : new ExpertIdType[] {ExpertIdType.INT32, ExpertIdType.compact(shape)})
            {
                assertTrue(wide.reconstructRoutingFromBlocks(new int[] {0}, 1, 1, type, read, 0));
                assertArrayEquals(row[0], ExpertRows.read(read, 0, 2, type));
            }
        }
    }
}
