// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import io.signalbox.InvariantViolation;
import io.signalbox.StateDigest;

/**
 * Registered KV blocks as a forest: a block's parent is the registered block that its prefix ends with.
 *
 * <p>Invariants. A hash belongs to the block that registered it first. A block that has children is not in the heap, so
 * a parent is never evicted before its child. A block is <em>pinned</em> when it or a block that builds upon it has an
 * owner; the evictable blocks are those that are not, and among them there is always a leaf.
 */
final class PrefixTree implements CachedPrefixes
{
    private final BlockRecords records;
    private final PrefixIndex index;
    private final PrefixMatch match;
    private final EvictionHeap leaves;
    private final boolean keepsCachedBlocks;
    private final BatchRegistration batch;
    /** Sum over all registered blocks, independent of the order in which they came. */
    private long digest;
    private int cached;
    private int evictable;
    /** Blocks were evicted, and none was registered since. */
    private boolean evictedLately;
    /** Kept only because a read whose value nobody keeps is not done. */
    private long lookedAt;

    /** @param keepsCachedBlocks false where a block is forgotten with its last owner: then nothing links blocks. */
    PrefixTree(final BlockRecords records, final boolean keepsCachedBlocks)
    {
        this.records = records;
        this.keepsCachedBlocks = keepsCachedBlocks;
        index = new PrefixIndex(records);
        match = new PrefixMatch(records, index);
        batch = new BatchRegistration(this, records);
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
        return keepsCachedBlocks && isCached(block) && records.pinnedChildren(block) == 0;
    }

    /** Not the same as having no owner: a release takes the owners of all its blocks before it caches the first. */
    private boolean isCached(final int block)
    {
        return leaves.isCached(block);
    }

    @Override
    public void register(final int[] blocks, final long[] hashes, final long[] parents)
    {
        batch.register(blocks, hashes, parents);
    }

    @Override
    public boolean register(final int block, final long hash, final long parentHash, final int depth)
    {
        if (evictedLately && leaves.size() > 1)
        {
            lookAhead();
        }
        if (index.get(hash) != BlockRecords.NO_BLOCK)
        {
            return false;
        }
        final int parent = parentHash == ROOT ? BlockRecords.NO_BLOCK : index.get(parentHash);
        records.name(block, hash, parent == BlockRecords.NO_BLOCK ? depth : depthBehind(parent));
        index.put(hash, block);
        if (parent != BlockRecords.NO_BLOCK && keepsCachedBlocks)
        {
            link(block, parent);
        }
        digest += term(block);
        return true;
    }

    /** A prefix that begins nobody knows where goes on so. */
    private int depthBehind(final int parent)
    {
        return Math.min(records.depth(parent) + 1, BlockRecords.UNKNOWN_DEPTH);
    }

    /** Takes back the registration of an owned block that nothing builds upon. */
    void unregister(final int block)
    {
        final int parent = records.parent(block);
        forget(block);
        if (parent != BlockRecords.NO_BLOCK)
        {
            unpin(parent);
            removeChild(parent);
        }
    }

    private void removeChild(final int parent)
    {
        if (records.removeChild(parent) == 0 && isCached(parent))
        {
            leaves.add(parent);
        }
    }

    private void link(final int block, final int parent)
    {
        records.parent(block, parent);
        if (records.addChild(parent) == 1 && leaves.contains(parent))
        {
            leaves.remove(parent);
            leaves.addInner(parent);
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
            leaves.addInner(block);
        }
    }

    @Override
    public void own(final int block)
    {
        cached--;
        leaves.remove(block);
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
        digest -= term(block);
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
            if (parent != BlockRecords.NO_BLOCK)
            {
                removeChild(parent);
            }
        }
        evictedLately = true;
    }

    /**
     * Reads what the next evictions need: of the next block the slot of its hash, of the one after it the record. In a
     * large pool each read waits for memory. Here they pass side by side with one that a registration waits for anyway,
     * and there is one registration for every eviction once a pool is full.
     */
    private void lookAhead()
    {
        evictedLately = false;
        lookedAt = index.slotOf(records.hash(leaves.first())) ^ records.hash(leaves.second());
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
        digest = 0;
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
        return digest;
    }

    private long term(final int block)
    {
        return StateDigest.mix(
            records.hash(block), (long)block << Integer.SIZE | records.depth(block), records.parent(block));
    }
}
