// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.kv.KvBlockAllocator;
import io.signalbox.kv.RankPrefixIndex;

/** The cached blocks of one rank in the prefix index over all ranks: a block that loses its hash leaves the index. */
final class IndexedPrefixes
{
    /** {@code null}: nobody asks for cached blocks. */
    private final RankPrefixIndex index;
    private final int rank;
    private final KvBlockAllocator allocator;

    /** Of a rank that is in no index. */
    IndexedPrefixes()
    {
        index = null;
        rank = 0;
        allocator = null;
    }

    IndexedPrefixes(final RankPrefixIndex index, final int rank, final KvBlockAllocator allocator)
    {
        this.index = index;
        this.rank = rank;
        this.allocator = allocator;
        allocator.addDeregistrationObserver(this::remove);
    }

    void add(final long blockHash)
    {
        if (index != null)
        {
            index.add(blockHash, rank);
        }
    }

    /** All blocks of the pool that have a hash: they were restored. */
    void addAll()
    {
        for (int blockId = 0; index != null && blockId < allocator.dummyBlock(); blockId++)
        {
            if (allocator.blockHash(blockId) != KvBlockAllocator.NO_HASH)
            {
                index.add(allocator.blockHash(blockId), rank);
            }
        }
    }

    private void remove(final int[] blockIds, final long[] blockHashes, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            remove(blockHashes[i]);
        }
    }

    /** Removes block by block: the index holds the blocks of all ranks, and a search of it per rank would stall them. */
    void removeAll()
    {
        for (int blockId = 0; index != null && blockId < allocator.dummyBlock(); blockId++)
        {
            remove(allocator.blockHash(blockId));
        }
    }

    private void remove(final long blockHash)
    {
        if (blockHash != KvBlockAllocator.NO_HASH)
        {
            index.remove(blockHash, rank);
        }
    }
}
