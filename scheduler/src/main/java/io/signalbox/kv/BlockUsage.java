// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

/** Counts the blocks in the tables of the requests that share a pool. */
final class BlockUsage
{
    private final int poolSize;
    private final boolean sharesBlocks;
    /** One bit per block, all clear between two calls. */
    private final long[] seen;
    private RequestBlockTable table;

    BlockUsage(final KvBlockConfig config)
    {
        poolSize = config.poolSize();
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
            count += table.blockCount(row);
        }
        return sharesBlocks ? countDistinct(firstRow, endRow) : count;
    }

    private int countDistinct(final int firstRow, final int endRow)
    {
        for (int row = firstRow; row < endRow; row++)
        {
            check(row);
        }
        int distinct = 0;
        for (int row = firstRow; row < endRow; row++)
        {
            distinct += mark(row);
        }
        for (int row = firstRow; row < endRow; row++)
        {
            clear(row);
        }
        return distinct;
    }

    /** Before anything is marked. Negative entries are places of a table that are not used. */
    private void check(final int row)
    {
        for (int i = 0; i < table.blockCount(row); i++)
        {
            final int block = table.blockId(row, i);
            if (block >= poolSize)
            {
                throw new KvBlockException(KvBlockException.Reason.UNKNOWN_BLOCK, "block " + block + " of row " + row +
                    " is not in the pool of " + poolSize + " blocks; give the tables of this pool.", block);
            }
        }
    }

    /** Returns how many blocks of the row were not marked yet. */
    private int mark(final int row)
    {
        int fresh = 0;
        for (int i = 0; i < table.blockCount(row); i++)
        {
            final int block = table.blockId(row, i);
            if (block >= 0)
            {
                fresh += (seen[block >>> 6] & 1L << block) == 0 ? 1 : 0;
                seen[block >>> 6] |= 1L << block;
            }
        }
        return fresh;
    }

    private void clear(final int row)
    {
        for (int i = 0; i < table.blockCount(row); i++)
        {
            final int block = table.blockId(row, i);
            if (block >= 0)
            {
                seen[block >>> 6] = 0;
            }
        }
    }
}
