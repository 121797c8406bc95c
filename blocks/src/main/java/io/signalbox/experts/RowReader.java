// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import org.agrona.ExpandableArrayBuffer;
import org.agrona.MutableDirectBuffer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ShortBuffer;

/**
 * Reads rows from lists of pages: those of blocks and those of requests. Row {@code p} of a list is row
 * {@code p % pageRows} of its page {@code p / pageRows}. Holds scratch space; each thread that reads has its own.
 */
final class RowReader
{
    private static final int IDS_PER_TURN = 4096;

    private final RoutedExpertPages pages;
    private final ByteIds byteIds = new ByteIds();

    RowReader(final RoutedExpertPages pages)
    {
        this.pages = pages;
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
        pages.read(pageIds, from, to, type, destination, offset, byteIds);
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
            pages.readWeights(pageIds[index], row - index * pageRows, end - row, destination,
                (row - from) * pages.shape().rowIds());
        }
    }
}
