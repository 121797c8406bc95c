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
        return table == null ? 0 : count(table.pausedRequests(), table.totalRequests());
    }

    int paused()
    {
        return table == null ? 0 : count(0, table.pausedRequests());
    }

    private int count(final int first, final int end)
    {
        int count = 0;
        for (int request = first; request < end; request++)
        {
            count += table.blockCount(request);
        }
        return sharesBlocks ? countDistinct(first, end) : count;
    }

    private int countDistinct(final int first, final int end)
    {
        for (int request = first; request < end; request++)
        {
            check(request);
        }
        int distinct = 0;
        for (int request = first; request < end; request++)
        {
            distinct += mark(request);
        }
        for (int request = first; request < end; request++)
        {
            clear(request);
        }
        return distinct;
    }

    /** Before anything is marked. Negative entries are places of a table that are not used. */
    private void check(final int request)
    {
        for (int i = 0; i < table.blockCount(request); i++)
        {
            final int block = table.blockId(request, i);
            if (block >= poolSize)
            {
                throw new KvBlockException(KvBlockException.Reason.UNKNOWN_BLOCK, "block " + block + " of request " +
                    request + " is not in the pool of " + poolSize + " blocks; give the tables of this pool.", block);
            }
        }
    }

    /** Returns how many blocks of the request were not marked yet. */
    private int mark(final int request)
    {
        int fresh = 0;
        for (int i = 0; i < table.blockCount(request); i++)
        {
            final int block = table.blockId(request, i);
            if (block >= 0)
            {
                fresh += (seen[block >>> 6] & 1L << block) == 0 ? 1 : 0;
                seen[block >>> 6] |= 1L << block;
            }
        }
        return fresh;
    }

    private void clear(final int request)
    {
        for (int i = 0; i < table.blockCount(request); i++)
        {
            final int block = table.blockId(request, i);
            if (block >= 0)
            {
                seen[block >>> 6] = 0;
            }
        }
    }
}
