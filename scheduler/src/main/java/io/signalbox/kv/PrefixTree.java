// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import io.signalbox.InvariantViolation;

/**
 * Registered KV blocks as a forest: a block's parent is the registered block that its prefix ends with.
 *
 * <p>Invariants. A hash belongs to the block that registered it first. A block that has children is not in the heap, so
 * a parent is never evicted before its child. A block is <em>pinned</em> when it or a block that builds upon it has an
 * owner; the evictable blocks are those that are not, and among them there is always a leaf.
 */
final class PrefixTree implements CachedPrefixes
{
    private static final long ROOT = 0;

    private final BlockRecords records;
    private final PrefixIndex index;
    private final PrefixMatch match;
    private final EvictionHeap leaves;
    private final boolean keepsCachedBlocks;
    private int cached;
    private int evictable;

    /** @param keepsCachedBlocks false where a block is forgotten with its last owner: then nothing links blocks. */
    PrefixTree(final BlockRecords records, final boolean keepsCachedBlocks)
    {
        this.records = records;
        this.keepsCachedBlocks = keepsCachedBlocks;
        index = new PrefixIndex(records);
        match = new PrefixMatch(records, index);
        leaves = keepsCachedBlocks ? new EvictionHeap(records) : null;
    }

    @Override
    public int find(final long hash)
    {
        return index.get(hash);
    }

    @Override
    public int size()
    {
        return index.size();
    }

    @Override
    public int cached()
    {
        return cached;
    }

    @Override
    public int evictable()
    {
        return evictable;
    }

    @Override
    public boolean isEvictable(final int block)
    {
        return isCached(block) && records.pinnedChildren(block) == 0;
    }

    /** Not the same as having no owner: a release takes the owners of all its blocks before it caches the first. */
    private boolean isCached(final int block)
    {
        return records.heapPlace(block) != BlockRecords.NOT_CACHED;
    }

    @Override
    public void check(final int[] blocks, final long[] hashes, final long[] parents)
    {
        int highest = -1;
        for (int i = 0; i < blocks.length; i++)
        {
            final long known = records.hash(blocks[i]);
            if (known != KvBlockAllocator.NO_HASH && known != hashes[i])
            {
                throw new KvBlockException(KvBlockException.Reason.OTHER_HASH, "block " + blocks[i] +
                    " is registered as " + known + " and cannot become " + hashes[i] + "; release it first.", blocks[i]);
            }
            if (blocks[i] <= highest)
            {
                checkRepetition(blocks, hashes, i);
            }
            highest = Math.max(highest, blocks[i]);
            if (parents != null && parents[i] != ROOT)
            {
                checkParent(blocks, hashes, parents, i);
            }
        }
    }

    /** A block that is named twice in one call must be named with one hash. */
    private static void checkRepetition(final int[] blocks, final long[] hashes, final int i)
    {
        for (int earlier = 0; earlier < i; earlier++)
        {
            if (blocks[earlier] == blocks[i] && hashes[earlier] != hashes[i])
            {
                throw new KvBlockException(KvBlockException.Reason.OTHER_HASH, "block " + blocks[i] +
                    " is named as " + hashes[earlier] + " and as " + hashes[i] + " in one call; name it once.", blocks[i]);
            }
        }
    }

    /** Parents come before their children, so that blocks cannot build upon each other in a circle. */
    private void checkParent(final int[] blocks, final long[] hashes, final long[] parents, final int i)
    {
        if (i > 0 && hashes[i - 1] == parents[i] || index.get(parents[i]) != BlockRecords.NO_BLOCK)
        {
            return;
        }
        for (int later = i; later < hashes.length; later++)
        {
            if (hashes[later] == parents[i])
            {
                throw new KvBlockException(KvBlockException.Reason.PARENT_AFTER_CHILD, "block " + blocks[i] +
                    " has its parent hash " + parents[i] + " in the same call at place " + later +
                    ", not before its own place " + i + "; give parents first.", blocks[i], blocks[later]);
            }
        }
    }

    @Override
    public void register(final int[] blocks, final long[] hashes, final long[] parents)
    {
        for (int i = 0; i < blocks.length; i++)
        {
            if (records.hash(blocks[i]) == KvBlockAllocator.NO_HASH)
            {
                final long parent = parents == null ? ROOT : parents[i];
                register(blocks[i], hashes[i], parent, parent == ROOT ? 0 : BlockRecords.UNKNOWN_DEPTH);
            }
        }
    }

    @Override
    public boolean register(final int block, final long hash, final long parentHash, final int depth)
    {
        if (index.get(hash) != BlockRecords.NO_BLOCK)
        {
            return false;
        }
        final int parent = parentHash == ROOT ? BlockRecords.NO_BLOCK : index.get(parentHash);
        records.name(block, hash, parent == BlockRecords.NO_BLOCK ? depth : records.depth(parent) + 1);
        index.put(hash, block);
        if (parent != BlockRecords.NO_BLOCK && keepsCachedBlocks)
        {
            link(block, parent);
        }
        return true;
    }

    private void link(final int block, final int parent)
    {
        records.parent(block, parent);
        if (records.addChild(parent) == 1 && leaves.contains(parent))
        {
            leaves.remove(parent);
            records.heapPlace(parent, BlockRecords.INNER);
        }
        pin(parent);
    }

    /** A child of the block became pinned, and with it the block and all that it builds upon. */
    private void pin(final int block)
    {
        int ancestor = block;
        while (ancestor != BlockRecords.NO_BLOCK && records.addPinnedChild(ancestor) == 1 && isCached(ancestor))
        {
            evictable--;
            ancestor = records.parent(ancestor);
        }
    }

    private void unpin(final int block)
    {
        int ancestor = block;
        while (ancestor != BlockRecords.NO_BLOCK && records.removePinnedChild(ancestor) == 0 && isCached(ancestor))
        {
            evictable++;
            ancestor = records.parent(ancestor);
        }
    }

    @Override
    public void cache(final int block)
    {
        cached++;
        if (records.pinnedChildren(block) == 0)
        {
            evictable++;
            unpin(records.parent(block));
        }
        if (records.children(block) == 0)
        {
            leaves.add(block);
        }
        else
        {
            records.heapPlace(block, BlockRecords.INNER);
        }
    }

    @Override
    public void own(final int block)
    {
        cached--;
        if (leaves.contains(block))
        {
            leaves.remove(block);
        }
        records.heapPlace(block, BlockRecords.NOT_CACHED);
        if (records.pinnedChildren(block) == 0)
        {
            evictable--;
            pin(records.parent(block));
        }
    }

    @Override
    public void touch(final int block, final long timestamp)
    {
        final boolean isLeaf = leaves.contains(block);
        if (isLeaf)
        {
            leaves.remove(block);
        }
        records.timestamp(block, timestamp);
        if (isLeaf)
        {
            leaves.add(block);
        }
    }

    @Override
    public void forget(final int block)
    {
        index.remove(block);
        records.forget(block);
    }

    @Override
    public void evict(final int count, final int[] blocks, final long[] hashes)
    {
        for (int i = 0; i < count; i++)
        {
            if (leaves.isEmpty())
            {
                throw new InvariantViolation(evictable + " blocks are evictable but none of them is a leaf");
            }
            final int block = leaves.poll();
            final int parent = records.parent(block);
            blocks[i] = block;
            hashes[i] = records.hash(block);
            forget(block);
            cached--;
            evictable--;
            if (parent != BlockRecords.NO_BLOCK && records.removeChild(parent) == 0 && isCached(parent))
            {
                leaves.add(parent);
            }
        }
    }

    @Override
    public int longestMatch(final long[] hashes, final int start, final int end, final int[] blocks, final int offset)
    {
        return match.find(hashes, start, end, blocks, offset);
    }

    @Override
    public void clear()
    {
        index.clear();
        cached = 0;
        evictable = 0;
        if (keepsCachedBlocks)
        {
            leaves.clear();
        }
    }

    @Override
    public long digest()
    {
        return index.digest();
    }
}
