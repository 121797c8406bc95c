// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

/** Counts the blocks in the tables of the requests that share a pool. */
final class BlockUsage
{
    private final boolean sharesBlocks;
    /** One bit per block, all clear between two calls. */
    private final long[] seen;
    private RequestBlockTable table;

    BlockUsage(final KvBlockConfig config)
    {
        sharesBlocks = config.prefixCaching();
        seen = new long[sharesBlocks ? (config.poolSize() + Long.SIZE - 1) / Long.SIZE : 0];
    }

    void table(final RequestBlockTable requests)
    {
        table = requests;
    }

    int active()
    {
        return table == null ? 0 : count(table.pausedRows(), table.totalRows());
    }

    int paused()
    {
        return table == null ? 0 : count(0, table.pausedRows());
    }

    private int count(final int firstRow, final int endRow)
    {
        int count = 0;
        for (int row = firstRow; row < endRow; row++)
        {
            count += sharesBlocks ? mark(row) : table.blockCount(row);
        }
        for (int row = firstRow; sharesBlocks && row < endRow; row++)
        {
            clear(row);
        }
        return count;
    }

    /** Returns how many blocks of the row were not marked yet. */
    private int mark(final int row)
    {
        int fresh = 0;
        for (int i = 0; i < table.blockCount(row); i++)
        {
            final int block = table.blockId(row, i);
            final long bit = 1L << block;
            fresh += (seen[block >>> 6] & bit) == 0 ? 1 : 0;
            seen[block >>> 6] |= bit;
        }
        return fresh;
    }

    private void clear(final int row)
    {
        for (int i = 0; i < table.blockCount(row); i++)
        {
            seen[table.blockId(row, i) >>> 6] = 0;
        }
    }
}
