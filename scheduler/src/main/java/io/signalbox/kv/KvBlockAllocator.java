// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import io.signalbox.StateDigest;
import io.signalbox.saved.SavedFields;

/**
 * The KV blocks of one DP rank: their owners, the prefixes they hold, and the order of eviction when the pool runs short.
 *
 * <p>Follows Megatron Core's {@code KVBlockAllocator}: the last block is the <em>dummy block</em> that padding points at
 * and is never handed out; free blocks form a stack whose top {@code n} are handed out in bottom-to-top order; under
 * {@link EvictionPolicy#LRU} a registered block without an owner stays cached until it is evicted, the oldest
 * (timestamp, block id) first among blocks that no other cached block builds upon.
 *
 * <p>Invariant: free + cached + owned = {@code poolSize - 1}. Only {@link #reset} and {@link #forgetPrefixes} visit the
 * whole pool. No call makes garbage once its buffers have grown to the largest call. A call that cannot be carried out
 * throws a {@link KvBlockException} and changes nothing. Not thread-safe.
 */
public final class KvBlockAllocator
{
    /** "No hash", and the parent of a first block. Block hashes are in 1 … 2^63 − 1. */
    public static final long NO_HASH = 0;
    public static final int NO_BLOCK = BlockRecords.NO_BLOCK;

    private final KvBlockConfig config;
    private final BlockRecords records;
    private final FreeBlocks free;
    private final PrefixTree prefixes;
    private final BlockUsage usage;
    private final BlockArguments arguments;
    private final BlockRelease release;
    private final KvBlockListener listener;
    private final DeregisteredBlocks deregistered = new DeregisteredBlocks();
    private long clock;

    public KvBlockAllocator(final KvBlockConfig config)
    {
        this(config, null);
    }

    /** @param listener notified of every hand-out and reset, or null. */
    public KvBlockAllocator(final KvBlockConfig config, final KvBlockListener listener)
    {
        this.config = config;
        this.listener = listener;
        records = new BlockRecords(config.poolSize());
        free = new FreeBlocks(dummyBlock());
        prefixes = new PrefixTree(records, config.keepsCachedBlocks());
        usage = new BlockUsage(config);
        arguments = new BlockArguments(config, records);
        release = new BlockRelease(config, records, free, prefixes, deregistered, arguments);
    }

    /** Every block free, no hash known; the clock and the issue numbers continue. */
    public void reset()
    {
        records.reset();
        free.reset();
        prefixes.clear();
        if (listener != null)
        {
            listener.onReset();
        }
    }

    public KvBlockConfig config()
    {
        return config;
    }

    /** The block that padding tokens point at. */
    public int dummyBlock()
    {
        return config.poolSize() - 1;
    }

    /** Blocks on the free stack. */
    public int totalAvailable()
    {
        return free.size();
    }

    /** Blocks that are not on the free stack, cached ones without an owner included. */
    public int totalUsed()
    {
        return dummyBlock() - free.size();
    }

    /** Blocks with at least one owner. */
    public int owned()
    {
        return totalUsed() - prefixes.cached();
    }

    /** Registered blocks without an owner that eviction can take. */
    public int evictableCount()
    {
        return config.prefixCaching() ? prefixes.evictable() : 0;
    }

    /** Whether eviction can take the block: registered, without an owner, and nothing that has one builds upon it. */
    public boolean isEvictable(final int blockId)
    {
        arguments.checkInPool(blockId);
        return config.prefixCaching() && prefixes.isEvictable(blockId);
    }

    /** The most blocks that one {@link #allocate} could hand out now. */
    public int allocatableCount()
    {
        return free.size() + (config.keepsCachedBlocks() ? prefixes.evictable() : 0);
    }

    /** Hashes under which a block can be found. */
    public int hashCount()
    {
        return prefixes.size();
    }

    /** Sets the table that {@link #activeUsed()} and {@link #pausedUsed()} are counted from. */
    public void requestBlocks(final RequestBlockTable table)
    {
        usage.table(table);
    }

    /** Blocks of active requests; with prefix caching a shared block counts once. */
    public int activeUsed()
    {
        return usage.active();
    }

    /** Blocks of paused requests; a block that an active request shares counts there as well. */
    public int pausedUsed()
    {
        return usage.paused();
    }

    /** Blocks not set aside for paused requests, less {@link #activeUsed()}; negative if paused requests hold more. */
    public int activeAvailable()
    {
        return dummyBlock() - config.pausedLimit() - activeUsed();
    }

    /** Blocks that paused requests may still keep; negative if they hold more than their limit. */
    public int pausedAvailable()
    {
        return config.pausedLimit() - pausedUsed();
    }

    public boolean isMemoryAvailable(final int count)
    {
        return isMemoryAvailable(count, 0);
    }

    /** @param matched evictable blocks that the same request is about to share, and that eviction must not count on. */
    public boolean isMemoryAvailable(final int count, final int matched)
    {
        arguments.checkCount(count);
        arguments.checkCount(matched);
        return free.size() >= count || allocatableCount() - matched >= count;
    }

    public int refCount(final int blockId)
    {
        arguments.checkInPool(blockId);
        return records.owners(blockId);
    }

    /** How often the block was handed out; (block, issue) identifies one use of a block. */
    public int issue(final int blockId)
    {
        arguments.checkInPool(blockId);
        return records.issue(blockId);
    }

    /** The block's registered hash, or {@link #NO_HASH}. */
    public long blockHash(final int blockId)
    {
        arguments.checkInPool(blockId);
        return records.hash(blockId);
    }

    /** When the block was last used, by the LRU clock. */
    public long timestamp(final int blockId)
    {
        arguments.checkInPool(blockId);
        return records.timestamp(blockId);
    }

    /** The registered block that this one builds upon, or {@link #NO_BLOCK}. */
    public int parent(final int blockId)
    {
        arguments.checkInPool(blockId);
        return records.parent(blockId);
    }

    /** Blocks ahead of a registered block in its prefix; without meaning for others. */
    int depth(final int blockId)
    {
        arguments.checkInPool(blockId);
        return records.depth(blockId);
    }

    /** Registered blocks that build upon this one. */
    public int childCount(final int blockId)
    {
        arguments.checkInPool(blockId);
        return records.children(blockId);
    }

    /** A free block by its height above the bottom of the stack. */
    public int freeBlock(final int height)
    {
        arguments.checkRange(free.size(), height, 1);
        return free.get(height);
    }

    public long clock()
    {
        return clock;
    }

    /** Sets the LRU clock; a context that starts over begins at 0 again, after {@link #reset()}. */
    public void clock(final long value)
    {
        arguments.checkClock(clock, value, totalUsed() == 0);
        clock = value;
    }

    /** Moves the LRU clock: everything until the next call counts as used at the same time. */
    public void tick()
    {
        clock(clock + 1);
    }

    /** Counts as a use of the blocks now; has no effect if no blocks are cached. */
    public void touch(final int[] blockIds, final int offset, final int count)
    {
        arguments.checkBlocks(blockIds, offset, count);
        for (int i = offset; config.keepsCachedBlocks() && i < offset + count; i++)
        {
            prefixes.touch(blockIds[i], clock);
        }
    }

    /**
     * Hands out {@code count} blocks with one reference each; evicts exactly as many cached blocks as are lacking.
     *
     * @return false, with nothing changed, when even eviction cannot provide them.
     */
    public boolean allocate(final int count, final int[] blockIds, final int offset)
    {
        arguments.checkRange(blockIds.length, offset, count);
        final int lacking = count - free.size();
        if (lacking > 0)
        {
            if (count > allocatableCount())
            {
                return false;
            }
            evictAndFree(lacking);
        }
        free.take(count, blockIds, offset);
        for (int i = offset; i < offset + count; i++)
        {
            records.handOut(blockIds[i]);
            if (config.keepsCachedBlocks())
            {
                records.timestamp(blockIds[i], clock);
            }
        }
        if (listener != null)
        {
            listener.onHandedOut(blockIds, offset, count);
        }
        if (lacking > 0)
        {
            deregistered.tell(lacking);
        }
        return true;
    }

    /**
     * Evicts the least recently used blocks.
     *
     * @return false, with nothing changed, when fewer are evictable.
     */
    public boolean evictLru(final int count)
    {
        arguments.checkCount(count);
        if (count > evictableCount())
        {
            return false;
        }
        if (count > 0)
        {
            evictAndFree(count);
            deregistered.tell(count);
        }
        return true;
    }

    private void evictAndFree(final int count)
    {
        deregistered.ensureCapacity(count);
        final int[] evicted = deregistered.ids();
        prefixes.evict(count, evicted, deregistered.hashes());
        for (int i = 0; i < count; i++)
        {
            records.timestamp(evicted[i], 0);
            free.push(evicted[i]);
        }
    }

    /**
     * Adds a reference to each block, as often as it is named, and counts as a use. Takes longer if a cached block is
     * retained without the cached ones that it builds upon: these are then pinned one by one.
     */
    public void retain(final int[] blockIds, final int offset, final int count)
    {
        arguments.checkPrefixCaching();
        arguments.checkBlocks(blockIds, offset, count);
        arguments.checkRetain(blockIds, offset, count);
        for (int i = offset; i < offset + count; i++)
        {
            final int blockId = blockIds[i];
            if (records.owners(blockId) == 0)
            {
                prefixes.own(blockId);
            }
            records.addOwner(blockId);
            if (config.keepsCachedBlocks())
            {
                records.timestamp(blockId, clock);
            }
        }
    }

    /** Gives back one reference of each block; blocks that lose their last one are cached or return to the pool. */
    public void release(final int[] blockIds, final int offset, final int count)
    {
        arguments.checkBlocks(blockIds, offset, count);
        final int orphanCount = release.removeOwners(blockIds, offset, count);
        if (config.keepsCachedBlocks())
        {
            release.cacheOrFree(orphanCount);
        }
        else if (release.forgetAndFree(orphanCount))
        {
            deregistered.tell(orphanCount);
        }
    }

    /**
     * Makes blocks findable under their hashes, all of them or none. A block that has its hash already is passed over; a
     * hash that another block has stays with that block.
     *
     * @param parents per block the hash that its prefix ends with, {@link #NO_HASH} for a first block, or a hash that is no
     *                longer known: then the block can be found but not matched. Parents come before their children. Null
     *                if every block is a first one.
     */
    public void registerBlockHashes(final int[] blockIds, final long[] hashes, final long[] parents)
    {
        arguments.checkRegistration(blockIds, hashes, parents);
        prefixes.register(blockIds, hashes, parents);
    }

    /**
     * Makes one block findable, as {@link #registerBlockHashes} does, for callers that know its place in the prefix.
     *
     * @param depth blocks ahead of it in its prefix; if the parent is known, its depth plus one counts instead.
     * @return false, with nothing changed, if this block or another one has the hash already.
     */
    public boolean register(final int blockId, final long hash, final long parentHash, final int depth)
    {
        arguments.checkRegistration(blockId, hash, parentHash, depth);
        if (records.hash(blockId) == hash)
        {
            return false;
        }
        return prefixes.register(blockId, hash, parentHash, depth);
    }

    /** The block registered under the hash, or {@link #NO_BLOCK}. */
    public int find(final long hash)
    {
        return prefixes.find(hash);
    }

    /**
     * The number of leading blocks of a prompt that are known: the answer of a {@link RankPrefixIndex} of this pool alone,
     * which halves what is left and so looks a new prompt up once.
     *
     * @param count blocks of the prompt that a match may use.
     */
    public int cachedPrefix(final long[] hashes, final int count)
    {
        int low = 0;
        int high = count;
        while (low < high)
        {
            final int middle = RankPrefixIndex.firstGuess(low, high, count);
            if (prefixes.find(hashes[middle - 1]) == NO_BLOCK)
            {
                high = middle - 1;
            }
            else
            {
                low = middle;
            }
        }
        return low;
    }

    /**
     * The longest known prefix among {@code hashes[start .. min(end, hashes.length))}.
     *
     * @param blockIds receives its blocks from {@code offset} on; must have room for all that are asked for.
     * @return the number of blocks.
     */
    public int longestMatch(final long[] hashes, final int start, final int end, final int[] blockIds, final int offset)
    {
        final int last = Math.min(end, hashes.length);
        if (start >= last)
        {
            return 0;
        }
        arguments.checkCount(start);
        arguments.checkRange(blockIds.length, offset, last - start);
        return prefixes.longestMatch(hashes, start, last, blockIds, offset);
    }

    /**
     * Forgets every hash: cached blocks return to the pool by ascending id, owned ones only lose their hash; observers are
     * not notified. Visits every block.
     */
    public void forgetPrefixes()
    {
        release.forgetAll(dummyBlock());
    }

    /** Adds an observer, notified after those that were added before. */
    public void addDeregistrationObserver(final DeregistrationObserver observer)
    {
        deregistered.add(observer);
    }

    /** Saves the blocks, or restores them in a new allocator. */
    public void save(final SavedFields fields)
    {
        clock = fields.number(clock);
        records.save(fields);
        free.save(fields);
        if (fields.isReading())
        {
            prefixes.restore();
        }
    }

    /** Digest of free stack, owners, issues, timestamps and clock; every mutation updates it. */
    public long poolDigest()
    {
        return records.digest() + StateDigest.mix(free.digest(), free.size(), clock);
    }

    /** Digest of hashes, with the place of each in its prefix and its parent; every mutation updates it. */
    public long prefixIndexDigest()
    {
        return prefixes.digest();
    }

    /** The same as {@link #poolDigest()}, computed from all blocks: for tests. */
    public long recomputePoolDigest()
    {
        return records.recomputeDigest() + StateDigest.mix(free.recomputeDigest(), free.size(), clock);
    }

    /** The occupancy, as Megatron Core prints it. */
    @Override
    public String toString()
    {
        return "blocks: occupied " + totalUsed() + "/" + dummyBlock() + "; allocatable " + allocatableCount() +
            "; active-used " + activeUsed() + "; paused-used " + pausedUsed() + "/" + config.pausedLimit();
    }
}
