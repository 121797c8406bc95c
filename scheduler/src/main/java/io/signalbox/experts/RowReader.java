// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import org.agrona.ExpandableArrayBuffer;
import org.agrona.MutableDirectBuffer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ShortBuffer;
import java.util.Arrays;

/**
 * Reads rows from lists of pages: those of blocks and those of requests. Row {@code p} of a list is row
 * {@code p % pageRows} of its page {@code p / pageRows}. Safe on any thread that received the end of a request, for the
 * pages which that request still holds. Holds scratch space; each thread that reads has its own.
 */
final class RowReader
{
    private static final int IDS_PER_TURN = 4096;

    private final RoutedExpertPages pages;
    private final ModelShape shape;
    private final int rowBytes;
    private final ByteIds byteIds = new ByteIds();

    RowReader(final RoutedExpertPages pages)
    {
        this.pages = pages;
        shape = pages.shape();
        rowBytes = shape.rowBytes();
    }

    /**
     * Reads rows {@code [from, to)} as {@code [row][MoE layer][k]}; a missing row reads as {@link
     * RoutedExpertPages#MISSING}.
     *
     * @param type able to name every expert.
     */
    void read(
        final int[] pageIds,
        final int from,
        final int to,
        final ExpertIdType type,
        final MutableDirectBuffer destination,
        final int offset)
    {
        final long[] records = pages.acquireRecords();
        final byte[][] slabs = pages.acquireSlabs();
        final int pageRows = pages.pageRows();
        final int readBytes = shape.rowIds() * type.bytes();
        final byte[] target = readBytes == rowBytes && !destination.isExpandable() ? destination.byteArray() : null;
        int targetStart = 0;
        if (target != null)
        {
            destination.boundsCheck(offset, (to - from) * readBytes);
            targetStart = destination.wrapAdjustment() + offset;
        }
        int index = from / pageRows;
        int firstRow = from - index * pageRows;
        for (int done = 0, rows; done < to - from; done += rows)
        {
            rows = Math.min(to - from - done, pageRows - firstRow);
            final int page = pageIds[index++];
            final byte[] slab = slabs[pages.slabIndex(page)];
            if (target != null && hasAll(records, page, firstRow, rows))
            {
                final int start = pages.pageStart(page) + firstRow * rowBytes;
                System.arraycopy(slab, start, target, targetStart + done * rowBytes, rows * rowBytes);
            }
            else
            {
                readRows(records, slab, page, firstRow, rows, type, destination, offset + done * readBytes);
            }
            firstRow = 0;
        }
    }

    /** Whether all rows are valid; false as well if they have more than one word of validity bits. */
    private boolean hasAll(final long[] records, final int page, final int firstRow, final int rows)
    {
        final int firstBit = firstRow & Long.SIZE - 1;
        final long missing = ~records[pages.validity(page) + (firstRow >>> 6)] >>> firstBit;
        return firstBit + rows <= Long.SIZE && missing << -rows == 0;
    }

    private void readRows(
        final long[] records,
        final byte[] slab,
        final int page,
        final int firstRow,
        final int rows,
        final ExpertIdType type,
        final MutableDirectBuffer destination,
        final int offset)
    {
        final int readBytes = shape.rowIds() * type.bytes();
        for (int row = firstRow, end; row < firstRow + rows; row = end)
        {
            final long word = records[pages.validity(page) + (row >>> 6)] >>> row;
            end = Math.min(firstRow + rows, row + alike(word, row));
            final int at = offset + (row - firstRow) * readBytes;
            if ((word & 1) == 0)
            {
                destination.setMemory(at, (end - row) * readBytes, (byte)RoutedExpertPages.MISSING);
                continue;
            }
            readIds(slab, pages.pageStart(page) + row * rowBytes, end - row, type, destination, at);
        }
    }

    /** Rows from the given one on that are all valid or all missing, up to the end of their word of validity bits. */
    private static int alike(final long wordFromRow, final int row)
    {
        final int run = Long.numberOfTrailingZeros((wordFromRow & 1) == 0 ? wordFromRow : ~wordFromRow);
        return Math.min(run, Long.SIZE - (row & Long.SIZE - 1));
    }

    /** Rows without combine weights are consecutive ids. */
    private void readIds(
        final byte[] slab,
        final int start,
        final int rows,
        final ExpertIdType type,
        final MutableDirectBuffer destination,
        final int offset)
    {
        final int runs = shape.combineWeights() ? rows : 1;
        final int ids = rows / runs * shape.rowIds();
        for (int run = 0; run < runs; run++)
        {
            final int at = offset + run * ids * type.bytes();
            StoredIds.read(slab, start + run * rowBytes, ids, shape.idBytes(), type, destination, at, byteIds);
        }
    }

    /** Reads rows {@code [from, to)} as int16 ids into an array. */
    void read(final int[] pageIds, final int from, final int to, final short[] destination)
    {
        final int rowIds = pages.shape().rowIds();
        final int turn = Math.max(1, IDS_PER_TURN / rowIds);
        final ExpandableArrayBuffer ids = new ExpandableArrayBuffer(turn * rowIds * Short.BYTES);
        final ShortBuffer shorts = ByteBuffer.wrap(ids.byteArray()).order(ByteOrder.LITTLE_ENDIAN).asShortBuffer();
        for (int row = from; row < to; row += turn)
        {
            final int rows = Math.min(turn, to - row);
            read(pageIds, row, row + rows, ExpertIdType.INT16, ids, 0);
            shorts.clear().get(destination, (row - from) * rowIds, rows * rowIds);
        }
    }

    /** Reads the combine weights of rows {@code [from, to)} into an array; those of a missing row are NaN. */
    void readWeights(final int[] pageIds, final int from, final int to, final float[] destination)
    {
        final int pageRows = pages.pageRows();
        for (int row = from, end; row < to; row = end)
        {
            final int index = row / pageRows;
            end = (int)Math.min(to, (index + 1L) * pageRows);
            readWeights(pageIds[index], row - index * pageRows, end - row, destination, (row - from) * shape.rowIds());
        }
    }

    /** @param first index of the first weight in the destination. */
    private void readWeights(
        final int page, final int firstRow, final int rows, final float[] destination, final int first)
    {
        final long[] records = pages.acquireRecords();
        final byte[] slab = pages.acquireSlabs()[pages.slabIndex(page)];
        final int weights = shape.rowIds();
        for (int row = firstRow, at = first; row < firstRow + rows; row++, at += weights)
        {
            if ((records[pages.validity(page) + (row >>> 6)] >>> row & 1) == 0)
            {
                Arrays.fill(destination, at, at + weights, Float.NaN);
            }
            else
            {
                final int start = pages.pageStart(page) + row * rowBytes + shape.idsBytes();
                StoredWeights.read(slab, start, destination, at, weights);
            }
        }
    }
}
