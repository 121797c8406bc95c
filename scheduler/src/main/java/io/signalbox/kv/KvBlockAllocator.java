// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import io.signalbox.ConfigException;
import io.signalbox.InvariantViolation;
import io.signalbox.StateDigest;

import java.util.Arrays;

/**
 * The KV blocks of one DP rank: who owns them, which hold a known prefix, which goes next when the pool runs short.
 *
 * <p>Follows Megatron Core's {@code KVBlockAllocator} (behaviour of 2026-08): the last block is the <em>dummy block</em>
 * that padding points at and is never handed out; free blocks form a stack whose top {@code n} are handed out in
 * bottom-to-top order; under {@link EvictionPolicy#LRU} a released block with a known hash stays cached, and eviction
 * takes the oldest (timestamp, block id) among blocks that no other cached block builds upon.
 *
 * <p>Invariants: free + cached + owned = {@code blockCount - 1}; a block's parent is owned by everyone who owns the
 * block, so the reference count of a parent is never below its child's and every cached block can be reached by
 * evicting leaves.
 */
public final class KvBlockAllocator
{
    /** "No hash". Block hashes are in 1 … 2^63 − 1. */
    public static final long NO_HASH = 0;
    public static final int NO_BLOCK = PrefixIndex.NO_BLOCK;

    private final int blockCount;
    private final EvictionPolicy evictionPolicy;
    private final boolean prefixCaching;

    private final int[] freeStack;
    private int available;
    private final int[] refCounts;
    private final int[] issues;
    private final long[] blockHashes;
    private final long[] timestamps;
    private final int[] depths;
    private final int[] parents;
    private final int[] childCounts;
    private final PrefixIndex prefixIndex;
    private final EvictionHeap evictableLeaves;
    private int cachedCount;
    private long clock;
    private long poolDigest;

    private int[] evictedBlocks = new int[64];
    private long[] evictedHashes = new long[64];
    private int evictedCount;

    /** @param blockCount all blocks, the dummy block included; at least 2. */
    public KvBlockAllocator(final int blockCount, final EvictionPolicy evictionPolicy, final boolean prefixCaching)
    {
        if (blockCount < 2)
        {
            throw new ConfigException(
                "blockCount=" + blockCount + " leaves no block beside the dummy block; give at least 2.");
        }
        this.blockCount = blockCount;
        this.evictionPolicy = evictionPolicy;
        this.prefixCaching = prefixCaching;
        freeStack = new int[blockCount];
        refCounts = new int[blockCount];
        issues = new int[blockCount];
        blockHashes = new long[blockCount];
        timestamps = new long[blockCount];
        depths = new int[blockCount];
        parents = new int[blockCount];
        childCounts = new int[blockCount];
        prefixIndex = new PrefixIndex(blockCount);
        evictableLeaves = new EvictionHeap(timestamps);
        reset();
    }

    /** Back to the state after construction; the clock and the issue numbers go on. */
    public void reset()
    {
        Arrays.fill(refCounts, 0);
        Arrays.fill(blockHashes, NO_HASH);
        Arrays.fill(timestamps, 0);
        Arrays.fill(parents, NO_BLOCK);
        Arrays.fill(childCounts, 0);
        prefixIndex.clear();
        evictableLeaves.clear();
        cachedCount = 0;
        evictedCount = 0;
        available = 0;
        poolDigest = 0;
        for (int blockId = 0; blockId < blockCount; blockId++)
        {
            poolDigest += blockDigest(blockId);
        }
        for (int blockId = 0; blockId < dummyBlock(); blockId++)
        {
            push(blockId);
        }
    }

    public int blockCount()
    {
        return blockCount;
    }

    /** The block that padding tokens point at. */
    public int dummyBlock()
    {
        return blockCount - 1;
    }

    /** Blocks on the free stack. */
    public int available()
    {
        return available;
    }

    /** Cached blocks without an owner: what eviction could add to {@link #available()}. */
    public int evictable()
    {
        return cachedCount;
    }

    /** The most blocks one {@link #allocate} could hand out now. */
    public int allocatable()
    {
        return available + cachedCount;
    }

    /** Blocks that are owned by at least one request. */
    public int owned()
    {
        return blockCount - 1 - available - cachedCount;
    }

    public int refCount(final int blockId)
    {
        return refCounts[blockId];
    }

    /** How often the block was handed out; (block, issue) names one use of a block for ever. */
    public int issue(final int blockId)
    {
        return issues[blockId];
    }

    /** The block's registered hash, or {@link #NO_HASH}. */
    public long blockHash(final int blockId)
    {
        return blockHashes[blockId];
    }

    /** Moves the LRU clock: everything until the next call counts as used at the same time. */
    public void tick()
    {
        clock++;
    }

    /**
     * Hands out {@code count} blocks with one reference each; evicts exactly as many cached blocks as are lacking.
     *
     * @return false, with nothing changed, when even eviction cannot provide them.
     */
    public boolean allocate(final int count, final int[] blockIds, final int offset)
    {
        if (count > available)
        {
            final int lacking = count - available;
            if (lacking > cachedCount)
            {
                return false;
            }
            evict(lacking);
        }
        for (int i = available - count; i < available; i++)
        {
            final int blockId = freeStack[i];
            poolDigest -= slotDigest(i, blockId);
            blockIds[offset + i - available + count] = blockId;
            poolDigest -= blockDigest(blockId);
            refCounts[blockId] = 1;
            issues[blockId]++;
            timestamps[blockId] = clock;
            poolDigest += blockDigest(blockId);
        }
        available -= count;
        return true;
    }

    /** Adds a reference and counts as a use. */
    public void retain(final int blockId)
    {
        if (refCounts[blockId] == 0)
        {
            if (blockHashes[blockId] == NO_HASH)
            {
                throw new InvariantViolation("block " + blockId + " is free and cannot be retained");
            }
            cachedCount--;
            if (evictableLeaves.contains(blockId))
            {
                evictableLeaves.remove(blockId);
            }
        }
        poolDigest -= blockDigest(blockId);
        refCounts[blockId]++;
        timestamps[blockId] = clock;
        poolDigest += blockDigest(blockId);
    }

    /** Gives back one reference of each block; blocks that lose their last one are cached or return to the pool. */
    public void release(final int[] blockIds, final int count)
    {
        // Last table entry first: a block's children come off before the block, and the pool hands out the
        // beginning of a table before its end. A block that is named twice ends with its last reference.
        for (int i = count - 1; i >= 0; i--)
        {
            final int blockId = blockIds[i];
            if (refCounts[blockId] == 0)
            {
                throw new InvariantViolation("block " + blockId + " is released more often than it is owned");
            }
            poolDigest -= blockDigest(blockId);
            refCounts[blockId]--;
            poolDigest += blockDigest(blockId);
            if (refCounts[blockId] == 0)
            {
                orphan(blockId);
            }
        }
    }

    private void orphan(final int blockId)
    {
        if (blockHashes[blockId] == NO_HASH)
        {
            push(blockId);
        }
        else if (evictionPolicy == EvictionPolicy.REF_ZERO)
        {
            deregister(blockId);
            push(blockId);
        }
        else
        {
            cachedCount++;
            if (childCounts[blockId] == 0)
            {
                evictableLeaves.add(blockId);
            }
        }
    }

    /**
     * Makes the block findable under its hash.
     *
     * @param depth         blocks ahead of it in its prefix; a match finds it at this depth only.
     * @param parentBlockId the previous block of the same owner where that one is registered, else {@link #NO_BLOCK}.
     * @return false, with nothing changed, when another block already has the hash or prefix caching is off.
     */
    public boolean register(final int blockId, final long blockHash, final int depth, final int parentBlockId)
    {
        if (blockHash <= NO_HASH || refCounts[blockId] == 0 || blockHashes[blockId] != NO_HASH)
        {
            throw new InvariantViolation("block " + blockId + " with " + refCounts[blockId] + " owners and hash " +
                blockHashes[blockId] + " cannot be registered as " + blockHash);
        }
        if (!prefixCaching || prefixIndex.get(blockHash) != NO_BLOCK)
        {
            return false;
        }
        prefixIndex.put(blockHash, blockId);
        poolDigest -= blockDigest(blockId);
        blockHashes[blockId] = blockHash;
        depths[blockId] = depth;
        poolDigest += blockDigest(blockId);
        if (parentBlockId != NO_BLOCK)
        {
            parents[blockId] = parentBlockId;
            childCounts[parentBlockId]++;
        }
        return true;
    }

    /** The block registered under the hash, or {@link #NO_BLOCK}. */
    public int find(final long blockHash)
    {
        return prefixIndex.get(blockHash);
    }

    /**
     * Number of leading hashes, at most {@code limit}, whose blocks are all registered and build upon each other. Hashes
     * that are not chained over their prefix match no further than their first break: whoever owns a block owns its
     * parent, and no table names a block twice.
     */
    public int longestMatch(final long[] hashes, final int limit)
    {
        int previous = NO_BLOCK;
        for (int matched = 0; matched < limit; matched++)
        {
            final int blockId = prefixIndex.get(hashes[matched]);
            if (blockId == NO_BLOCK || depths[blockId] != matched ||
                (parents[blockId] != NO_BLOCK && parents[blockId] != previous))
            {
                return matched;
            }
            previous = blockId;
        }
        return limit;
    }

    /** Forgets every hash: cached blocks return to the pool, owned ones only lose their name; none counts as evicted. */
    public void forgetPrefixes()
    {
        evict(cachedCount);
        for (int blockId = 0; blockId < dummyBlock(); blockId++)
        {
            if (blockHashes[blockId] != NO_HASH)
            {
                deregister(blockId);
            }
        }
        clearEvicted();
    }

    private void evict(final int count)
    {
        for (int i = 0; i < count; i++)
        {
            if (evictableLeaves.isEmpty())
            {
                throw new InvariantViolation(cachedCount + " blocks are cached but none of them is a leaf");
            }
            final int blockId = evictableLeaves.poll();
            noteEvicted(blockId);
            deregister(blockId);
            cachedCount--;
            push(blockId);
        }
    }

    private void noteEvicted(final int blockId)
    {
        if (evictedCount == evictedBlocks.length)
        {
            evictedBlocks = Arrays.copyOf(evictedBlocks, 2 * evictedCount);
            evictedHashes = Arrays.copyOf(evictedHashes, 2 * evictedCount);
        }
        evictedBlocks[evictedCount] = blockId;
        evictedHashes[evictedCount++] = blockHashes[blockId];
    }

    private void deregister(final int blockId)
    {
        prefixIndex.remove(blockHashes[blockId]);
        poolDigest -= blockDigest(blockId);
        blockHashes[blockId] = NO_HASH;
        poolDigest += blockDigest(blockId);
        final int parent = parents[blockId];
        parents[blockId] = NO_BLOCK;
        if (parent != NO_BLOCK && --childCounts[parent] == 0 &&
            refCounts[parent] == 0 && blockHashes[parent] != NO_HASH && evictionPolicy == EvictionPolicy.LRU)
        {
            evictableLeaves.add(parent);
        }
    }

    private void push(final int blockId)
    {
        poolDigest += slotDigest(available, blockId);
        freeStack[available++] = blockId;
    }

    /** Blocks whose hash was dropped since the last {@link #clearEvicted()}, in order. */
    public int evictedCount()
    {
        return evictedCount;
    }

    public int evictedBlock(final int index)
    {
        return evictedBlocks[index];
    }

    public long evictedHash(final int index)
    {
        return evictedHashes[index];
    }

    public void clearEvicted()
    {
        evictedCount = 0;
    }

    /** Digest of free stack, owners, issues and timestamps; kept up to date by every mutation. */
    public long poolDigest()
    {
        return poolDigest;
    }

    public long prefixIndexDigest()
    {
        return prefixIndex.digest();
    }

    /** What {@link #poolDigest()} must be, computed from nothing: for tests and snapshots. */
    public long recomputePoolDigest()
    {
        long sum = 0;
        for (int blockId = 0; blockId < blockCount; blockId++)
        {
            sum += blockDigest(blockId);
        }
        for (int i = 0; i < available; i++)
        {
            sum += slotDigest(i, freeStack[i]);
        }
        return sum;
    }

    private long blockDigest(final int blockId)
    {
        return StateDigest.mix(
            ((long)blockId << 32) | refCounts[blockId],
            ((long)issues[blockId] << 32) ^ timestamps[blockId],
            blockHashes[blockId]);
    }

    private static long slotDigest(final int slot, final int blockId)
    {
        return StateDigest.mix(~slot, blockId);
    }

    @Override
    public String toString()
    {
        return "blocks: owned " + owned() + ", cached " + cachedCount + ", free " + available + " of " + (blockCount - 1);
    }
}
