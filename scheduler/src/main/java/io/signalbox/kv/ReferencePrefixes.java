// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import io.signalbox.StateDigest;

import java.util.Map;
import java.util.TreeMap;

/**
 * Registered KV blocks as Megatron Core keeps them, with what is wrong in it: the slow and obvious form that recorded
 * behaviour is compared with. See {@link PrefixPolicy#REFERENCE}.
 */
final class ReferencePrefixes implements CachedPrefixes
{
    private final BlockRecords records;
    private final boolean keepsCachedBlocks;
    private final boolean countsChildren;
    /** In May 2026 a block that changes its hash leaves the old one behind, so there may be more hashes than blocks. */
    private final TreeMap<Long, Integer> blocksByHash = new TreeMap<>();

    ReferencePrefixes(final BlockRecords records, final boolean keepsCachedBlocks, final AllocatorProfile profile)
    {
        this.records = records;
        this.keepsCachedBlocks = keepsCachedBlocks;
        countsChildren = profile == AllocatorProfile.MEGATRON_2026_08;
    }

    @Override
    public int find(final long hash)
    {
        return blocksByHash.getOrDefault(hash, BlockRecords.NO_BLOCK);
    }

    @Override
    public int size()
    {
        return blocksByHash.size();
    }

    @Override
    public int cached()
    {
        return evictable();
    }

    @Override
    public int evictable()
    {
        int evictable = 0;
        for (int block = 0; block < records.count(); block++)
        {
            evictable += isEvictable(block) ? 1 : 0;
        }
        return evictable;
    }

    @Override
    public boolean isEvictable(final int block)
    {
        return records.owners(block) == 0 && records.hash(block) != KvBlockAllocator.NO_HASH;
    }

    @Override
    public void register(final int[] blocks, final long[] hashes, final long[] parents)
    {
        final boolean[] isNew = new boolean[blocks.length];
        for (int i = 0; i < blocks.length; i++)
        {
            isNew[i] = isNew(blocks[i], hashes[i]);
        }
        for (int i = 0; i < blocks.length; i++)
        {
            if (isNew[i])
            {
                records.name(blocks[i], hashes[i], BlockRecords.UNKNOWN_DEPTH);
                blocksByHash.put(hashes[i], blocks[i]);
            }
        }
        // After the whole batch is known, so that a parent in the same batch is found wherever it stands.
        for (int i = 0; keepsCachedBlocks && countsChildren && parents != null && i < blocks.length; i++)
        {
            final int parent = !isNew[i] || parents[i] == ROOT ? BlockRecords.NO_BLOCK : find(parents[i]);
            if (parent != BlockRecords.NO_BLOCK)
            {
                records.parent(blocks[i], parent);
                records.addChild(parent);
            }
        }
    }

    /** As it stands before the call, so that a block which is named twice counts twice. */
    private boolean isNew(final int block, final long hash)
    {
        final long known = records.hash(block);
        if (countsChildren && known != KvBlockAllocator.NO_HASH && known != hash)
        {
            throw new KvBlockException(KvBlockException.Reason.OTHER_HASH, "block " + block + " is registered as " + known +
                " and cannot become " + hash + "; release it first.", block);
        }
        return !countsChildren || known == KvBlockAllocator.NO_HASH;
    }

    @Override
    public boolean register(final int block, final long hash, final long parentHash, final int depth)
    {
        register(new int[]{block}, new long[]{hash}, new long[]{parentHash});
        return true;
    }

    @Override
    public void cache(final int block)
    {
        // Candidates are found by looking at every block.
    }

    @Override
    public void own(final int block)
    {
        // As above.
    }

    @Override
    public void touch(final int block, final long timestamp)
    {
        records.timestamp(block, timestamp);
    }

    @Override
    public void forget(final int block)
    {
        blocksByHash.remove(records.hash(block));
        final int parent = records.parent(block);
        if (parent != BlockRecords.NO_BLOCK)
        {
            records.removeChild(parent);
        }
        records.forget(block);
    }

    @Override
    public void evict(final int count, final int[] blocks, final long[] hashes)
    {
        final int[] children = new int[records.count()];
        final boolean[] chosen = new boolean[records.count()];
        for (int block = 0; block < records.count(); block++)
        {
            children[block] = records.children(block);
        }
        for (int i = 0; i < count; i++)
        {
            final int block = oldestCandidate(children, chosen);
            if (block == BlockRecords.NO_BLOCK)
            {
                throw new KvBlockException(KvBlockException.Reason.CYCLE, "of " + evictable() +
                    " evictable blocks each one left is the parent of another; reset the allocator.");
            }
            chosen[block] = true;
            blocks[i] = block;
            hashes[i] = records.hash(block);
            final int parent = records.parent(block);
            if (parent != BlockRecords.NO_BLOCK)
            {
                children[parent]--;
            }
        }
        for (int i = 0; i < count; i++)
        {
            forget(blocks[i]);
        }
    }

    private int oldestCandidate(final int[] children, final boolean[] chosen)
    {
        int oldest = BlockRecords.NO_BLOCK;
        for (int block = 0; block < records.count(); block++)
        {
            if (isEvictable(block) && !chosen[block] && (!countsChildren || children[block] == 0) &&
                (oldest == BlockRecords.NO_BLOCK || records.timestamp(block) < records.timestamp(oldest)))
            {
                oldest = block;
            }
        }
        return oldest;
    }

    @Override
    public int longestMatch(final long[] hashes, final int start, final int end, final int[] blocks, final int offset)
    {
        int last = end - 1;
        while (last >= start && find(hashes[last]) == BlockRecords.NO_BLOCK)
        {
            last--;
        }
        for (int i = start; i <= last; i++)
        {
            final int block = find(hashes[i]);
            if (block == BlockRecords.NO_BLOCK)
            {
                throw new KvBlockException(KvBlockException.Reason.BROKEN_PREFIX, "block hash " + hashes[i] +
                    " at place " + i + " is not cached although block " + find(hashes[last]) +
                    " at place " + last + " is; compute the prefix again.", find(hashes[last]));
            }
            blocks[offset + i - start] = block;
        }
        return Math.max(0, last + 1 - start);
    }

    @Override
    public void clear()
    {
        blocksByHash.clear();
    }

    @Override
    public long digest()
    {
        long digest = 0;
        for (final Map.Entry<Long, Integer> entry : blocksByHash.entrySet())
        {
            digest += StateDigest.mix(entry.getKey(), entry.getValue());
        }
        return digest;
    }
}
