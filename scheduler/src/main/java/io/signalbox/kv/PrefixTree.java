// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import io.signalbox.InvariantViolation;
import io.signalbox.StateDigest;

/**
 * Registered KV blocks as a forest: a block's parent is the registered block that its prefix ends with. Decides which
 * block is found under which hash, and which registered block without an owner is evicted next. The allocator has
 * checked ids and hashes before it calls; a method that refuses changes nothing.
 *
 * <p>Invariants. A hash belongs to the block that registered it first. A block that has children is not in the heap, so
 * a parent is never evicted before its child. A block is <em>pinned</em> when it or a block that builds upon it has an
 * owner; the evictable blocks are those that are not, and among them there is always a leaf.
 */
final class PrefixTree
{
    /** The parent hash of a first block. */
    static final long ROOT = KvBlockAllocator.NO_HASH;

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
    /** Keeps values that are read ahead; the compiler would remove a read without a use. */
    private long lookedAt;

    /** @param keepsCachedBlocks false if a block is forgotten with its last owner: then nothing links blocks. */
    PrefixTree(final BlockRecords records, final boolean keepsCachedBlocks)
    {
        this.records = records;
        this.keepsCachedBlocks = keepsCachedBlocks;
        index = new PrefixIndex(records);
        match = new PrefixMatch(records, index);
        batch = new BatchRegistration(this, records);
        leaves = keepsCachedBlocks ? new EvictionHeap(records) : null;
    }

    /** The block found under the hash, or {@link BlockRecords#NO_BLOCK}. */
    int find(final long hash)
    {
        return index.get(hash);
    }

    /** Entries that can be found. */
    int size()
    {
        return index.size();
    }

    /** Registered blocks without an owner. */
    int cached()
    {
        return cached;
    }

    /** Those of them that {@link #evict} can take. */
    int evictable()
    {
        return evictable;
    }

    /** Whether the block is one of them. */
    boolean isEvictable(final int block)
    {
        return keepsCachedBlocks && isCached(block) && records.pinnedChildren(block) == 0;
    }

    /** Not the same as having no owner: a release removes the owners of all its blocks before it caches the first. */
    private boolean isCached(final int block)
    {
        return leaves.isCached(block);
    }

    /** Registers all blocks, or refuses them and registers none. */
    void register(final int[] blocks, final long[] hashes, final long[] parents)
    {
        batch.register(blocks, hashes, parents);
    }

    /** Registers one block that has no hash; false if another one keeps the hash. */
    boolean register(final int block, final long hash, final long parentHash, final int depth)
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

    /** The depth of a block whose parent has an unknown depth is unknown, too. */
    private int depthBehind(final int parent)
    {
        return Math.min(records.depth(parent) + 1, BlockRecords.UNKNOWN_DEPTH);
    }

    /** Undoes the registration of an owned block that nothing builds upon. */
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

    /** The block has just lost its last owner and stays cached. */
    void cache(final int block)
    {
        cached++;
        if (records.pinnedChildren(block) == 0)
        {
            evictable++;
            unpin(records.parent(block));
        }
        keep(block);
    }

    private void keep(final int block)
    {
        if (records.children(block) == 0)
        {
            leaves.add(block);
        }
        else
        {
            leaves.addInner(block);
        }
    }

    /** The block, cached until now, is about to get an owner. */
    void own(final int block)
    {
        cached--;
        leaves.remove(block);
        if (records.pinnedChildren(block) == 0)
        {
            evictable--;
            pin(records.parent(block));
        }
    }

    /** The block's last use has changed. */
    void touch(final int block, final long timestamp)
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

    /** The block loses its hash; it has no owner or is about to lose the last one. */
    void forget(final int block)
    {
        digest -= term(block);
        index.remove(block);
        records.forget(block);
    }

    /** Chooses {@code count} evictable blocks, in the order of eviction, and forgets them. */
    void evict(final int count, final int[] blocks, final long[] hashes)
    {
        for (int i = 0; i < count; i++)
        {
            if (leaves.isEmpty())
            {
                throw new InvariantViolation(evictable + " blocks are evictable but none of them is a leaf");
            }
            final int block = leaves.first();
            final int parent = records.parent(block);
            blocks[i] = block;
            hashes[i] = records.hash(block);
            forget(block);
            cached--;
            evictable--;
            if (parent != BlockRecords.NO_BLOCK && records.removeChild(parent) == 0 && isCached(parent))
            {
                leaves.replaceFirst(parent);
            }
            else
            {
                leaves.remove(block);
            }
        }
        evictedLately = true;
    }

    /**
     * Reads what the next evictions need: of the next block the slot of its hash, of the one after it the record. In a
     * large pool each read waits for memory. Here they overlap with one that a registration waits for anyway, and a full
     * pool has one registration per eviction.
     */
    private void lookAhead()
    {
        evictedLately = false;
        lookedAt = index.slotOf(records.hash(leaves.first())) ^ records.hash(leaves.second());
    }

    /**
     * The longest known prefix among {@code hashes[start .. end)}.
     *
     * @param blocks receives its blocks from {@code offset} on.
     * @return the number of blocks.
     */
    int longestMatch(final long[] hashes, final int start, final int end, final int[] blocks, final int offset)
    {
        return match.find(hashes, start, end, blocks, offset);
    }

    void clear()
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

    /** Everything follows from the records, which were read: no block is in the tree yet. */
    void restore()
    {
        for (int block = 0; block < records.count(); block++)
        {
            if (records.hash(block) != KvBlockAllocator.NO_HASH)
            {
                index.put(records.hash(block), block);
                digest += term(block);
                if (records.parent(block) != BlockRecords.NO_BLOCK)
                {
                    records.addChild(records.parent(block));
                }
            }
        }
        for (int block = 0; keepsCachedBlocks && block < records.count(); block++)
        {
            if (records.hash(block) != KvBlockAllocator.NO_HASH && records.owners(block) == 0)
            {
                cached++;
                evictable++;
                keep(block);
            }
        }
        for (int block = 0; keepsCachedBlocks && block < records.count(); block++)
        {
            if (records.owners(block) > 0)
            {
                pin(records.parent(block));
            }
        }
    }

    long digest()
    {
        return digest;
    }

    private long term(final int block)
    {
        return StateDigest.mix(
            records.hash(block), (long)block << Integer.SIZE | records.depth(block), records.parent(block));
    }
}
