// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance.megatron;

import org.agrona.collections.Int2IntHashMap;
import org.agrona.collections.IntHashSet;

/**
 * How many paused rows lose their blocks. The longest run of rows from the left whose blocks fit the paused limit keeps
 * them; of the rows behind it, as few as possible from the right go, so that what they free lets the others resume.
 */
final class PausedOverflow
{
    private final PagingConfig config;
    private final KvBlockPool allocator;
    private final RequestRowTable rows;
    private final IntHashSet distinctBlocks = new IntHashSet();
    private final Int2IntHashMap referencesReleased = new Int2IntHashMap(0);

    PausedOverflow(final PagingConfig config, final KvBlockPool allocator, final RequestRowTable rows)
    {
        this.config = config;
        this.allocator = allocator;
        this.rows = rows;
    }

    int rowsToEvict()
    {
        if (rows.pausedRequests() == 0)
        {
            return 0;
        }
        final int kept = rowsWithinLimit();
        int needed = 0;
        for (int row = kept; row < rows.pausedRequests(); row++)
        {
            needed += config.needsBlock(rows.request(row)) ? 1 : 0;
        }
        int allocatable = allocator.allocatableCount();
        int evicted = 0;
        referencesReleased.clear();
        while (allocatable < needed)
        {
            final PagedRequest request = rows.request(rows.pausedRequests() - 1 - evicted);
            evicted++;
            needed -= config.needsBlock(request) ? 1 : 0;
            allocatable += releasedBlocks(request);
        }
        return evicted;
    }

    /** Rows from the left whose blocks, shared ones counted once, fit the paused limit. */
    private int rowsWithinLimit()
    {
        distinctBlocks.clear();
        int used = 0;
        for (int row = 0; row < rows.pausedRequests(); row++)
        {
            final PagedRequest request = rows.request(row);
            for (int i = 0; i < request.blockCount; i++)
            {
                used += distinctBlocks.add(request.blockTable[i]) ? 1 : 0;
            }
            if (used > config.blocks().pausedLimit())
            {
                return row;
            }
        }
        return rows.pausedRequests();
    }

    /** Blocks that become allocatable with the request: a shared one does with the last of its references. */
    private int releasedBlocks(final PagedRequest request)
    {
        if (!config.blocks().prefixCaching())
        {
            return request.blockCount;
        }
        int released = 0;
        for (int i = 0; i < request.blockCount; i++)
        {
            final int blockId = request.blockTable[i];
            final int references = referencesReleased.get(blockId) + 1;
            referencesReleased.put(blockId, references);
            released += references == allocator.refCount(blockId) ? 1 : 0;
        }
        return released;
    }
}
