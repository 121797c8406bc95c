// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance.megatron;

import io.signalbox.conformance.megatron.MegatronFailure.Kind;
import io.signalbox.kv.DeregistrationObserver;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.kv.KvBlockAllocator;
import io.signalbox.kv.KvBlockConfig;
import io.signalbox.kv.KvBlockListener;
import io.signalbox.kv.RequestBlockTable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * The KV blocks of one DP rank as Megatron Core keeps them, with its defects: slow and obvious, made to be compared with
 * what was recorded of it. Looks at the whole pool in most calls, and makes garbage.
 *
 * <p>{@link KvBlockAllocator} decides the same unless two blocks claim one hash, a cached block is the parent of an owned
 * one, or a parent is registered after its child. Then this class does what the original does: the later block takes the
 * hash over, forgetting either block forgets the hash, a cached parent of an owned block counts as evictable although it
 * is no leaf, and a match that finds a deep block without its ancestors fails with {@link Kind#BROKEN_PREFIX}. If the
 * original would corrupt its own state, by a release of what has no owner, this class fails with {@link Kind#ASSERTION}.
 */
public final class MegatronKvBlocks implements KvBlockPool
{
    private static final int NO_BLOCK = KvBlockAllocator.NO_BLOCK;
    private static final long NO_HASH = KvBlockAllocator.NO_HASH;

    private final KvBlockConfig config;
    private final boolean isOlder;
    private final boolean isLru;
    private final KvBlockListener listener;
    private final List<DeregistrationObserver> observers = new ArrayList<>();
    private final int[] free;
    private int freeCount;
    private final int[] references;
    private final long[] hashes;
    private final long[] timestamps;
    private final int[] parents;
    private final int[] children;
    /** In May 2026 a block that changes its hash leaves the old one behind, so there may be more hashes than blocks. */
    private final TreeMap<Long, Integer> blocksByHash = new TreeMap<>();
    private RequestBlockTable table;
    private long clock;

    /** @param listener told of every hand-out and reset, or null. */
    public MegatronKvBlocks(
        final KvBlockConfig config, final AllocatorProfile profile, final KvBlockListener listener)
    {
        this.config = config;
        this.listener = listener;
        isOlder = profile == AllocatorProfile.MEGATRON_2026_05;
        isLru = config.prefixCaching() && config.evictionPolicy() == EvictionPolicy.LRU;
        free = new int[config.poolSize() - 1];
        references = new int[config.poolSize()];
        hashes = new long[config.poolSize()];
        timestamps = new long[config.poolSize()];
        parents = new int[config.poolSize()];
        children = new int[config.poolSize()];
        clear();
    }

    /** As of August 2026, for a planner. */
    public static KvBlockPool august2026(final KvBlockConfig config, final KvBlockListener listener)
    {
        return new MegatronKvBlocks(config, AllocatorProfile.MEGATRON_2026_08, listener);
    }

    /** Every block free, no hash known; the clock continues. */
    @Override
    public void reset()
    {
        clear();
        if (listener != null)
        {
            listener.onReset();
        }
    }

    private void clear()
    {
        Arrays.setAll(free, block -> block);
        freeCount = free.length;
        Arrays.fill(references, 0);
        Arrays.fill(hashes, NO_HASH);
        Arrays.fill(timestamps, 0);
        Arrays.fill(parents, NO_BLOCK);
        Arrays.fill(children, 0);
        blocksByHash.clear();
    }

    @Override
    public void requestBlocks(final RequestBlockTable requests)
    {
        table = requests;
    }

    @Override
    public void addDeregistrationObserver(final DeregistrationObserver observer)
    {
        observers.add(observer);
    }

    @Override
    public int totalAvailable()
    {
        return freeCount;
    }

    @Override
    public int totalUsed()
    {
        return free.length - freeCount;
    }

    @Override
    public int owned()
    {
        return (int)Arrays.stream(references).filter(count -> count > 0).count();
    }

    @Override
    public int evictableCount()
    {
        return (int)IntStream.range(0, free.length).filter(this::isEvictable).count();
    }

    private boolean isEvictable(final int block)
    {
        return references[block] == 0 && hashes[block] != NO_HASH;
    }

    @Override
    public int allocatableCount()
    {
        return freeCount + (isLru ? evictableCount() : 0);
    }

    @Override
    public int hashCount()
    {
        return blocksByHash.size();
    }

    @Override
    public int activeUsed()
    {
        return table == null ? 0 : used(table.pausedRequests(), table.totalRequests());
    }

    @Override
    public int pausedUsed()
    {
        return table == null ? 0 : used(0, table.pausedRequests());
    }

    /** With prefix caching a shared block counts once, and negative entries, places that are not used, do not count. */
    private int used(final int firstRow, final int endRow)
    {
        int count = 0;
        final TreeSet<Integer> distinct = new TreeSet<>();
        for (int row = firstRow; row < endRow; row++)
        {
            count += table.blockCount(row);
            for (int i = 0; i < table.blockCount(row); i++)
            {
                if (table.blockId(row, i) >= 0)
                {
                    distinct.add(table.blockId(row, i));
                }
            }
        }
        return config.prefixCaching() ? distinct.size() : count;
    }

    @Override
    public int activeAvailable()
    {
        return free.length - config.pausedLimit() - activeUsed();
    }

    @Override
    public int pausedAvailable()
    {
        return config.pausedLimit() - pausedUsed();
    }

    /** In May 2026 blocks that the same request is about to share were counted as free for it. */
    @Override
    public boolean isMemoryAvailable(final int count, final int matched)
    {
        return freeCount >= count || allocatableCount() - (isOlder ? 0 : matched) >= count;
    }

    @Override
    public int refCount(final int blockId)
    {
        return references[blockId];
    }

    @Override
    public long blockHash(final int blockId)
    {
        return hashes[blockId];
    }

    @Override
    public long timestamp(final int blockId)
    {
        return timestamps[blockId];
    }

    @Override
    public int parent(final int blockId)
    {
        return parents[blockId];
    }

    @Override
    public int childCount(final int blockId)
    {
        return children[blockId];
    }

    @Override
    public int freeBlock(final int height)
    {
        return free[height];
    }

    @Override
    public void clock(final long value)
    {
        clock = value;
    }

    @Override
    public void tick()
    {
        clock++;
    }

    /** Counts as a use of the blocks now; only LRU notes it. */
    @Override
    public void touch(final int[] blockIds, final int offset, final int count)
    {
        for (int i = offset; isLru && i < offset + count; i++)
        {
            timestamps[blockIds[i]] = clock;
        }
    }

    @Override
    public boolean allocate(final int count, final int[] blockIds, final int offset)
    {
        final int lacking = count - freeCount;
        if (lacking > 0 && count > allocatableCount())
        {
            return false;
        }
        final Told told = lacking > 0 ? evict(lacking) : null;
        freeCount -= count;
        System.arraycopy(free, freeCount, blockIds, offset, count);
        for (int i = offset; i < offset + count; i++)
        {
            references[blockIds[i]] = 1;
        }
        touch(blockIds, offset, count);
        if (listener != null)
        {
            listener.onHandedOut(blockIds, offset, count);
        }
        tell(told);
        return true;
    }

    /** Evicts the oldest blocks; false, with nothing changed, if fewer are evictable. */
    @Override
    public boolean evictLru(final int count)
    {
        if (count > evictableCount())
        {
            return false;
        }
        if (count > 0)
        {
            tell(evict(count));
        }
        return true;
    }

    /** In May 2026 the oldest; in August the oldest that no block builds upon which is left, the lowest id among equals. */
    private Told evict(final int count)
    {
        final int[] left = children.clone();
        final List<Integer> chosen = new ArrayList<>();
        while (chosen.size() < count)
        {
            final int block = IntStream.range(0, free.length)
                .filter(each -> isEvictable(each) && !chosen.contains(each) && (isOlder || left[each] == 0)).boxed()
                .min((a, b) -> Long.compare(timestamps[a], timestamps[b])).orElseThrow(() -> failure(
                    "of " + evictableCount() + " evictable blocks each one left is the parent of another"));
            chosen.add(block);
            if (parents[block] != NO_BLOCK)
            {
                left[parents[block]]--;
            }
        }
        return deregister(chosen.stream().mapToInt(block -> block).toArray());
    }

    /** Blocks and the hash of each, for the listener when the operation is complete. */
    private record Told(int[] blocks, long[] hashes)
    {
    }

    /** Forgets the hash of each block, whichever block it leads to by now, and frees the blocks in their order. */
    private Told deregister(final int[] blocks)
    {
        final long[] forgotten = Arrays.stream(blocks).mapToLong(block -> hashes[block]).toArray();
        for (final int block : blocks)
        {
            if (hashes[block] != NO_HASH)
            {
                blocksByHash.remove(hashes[block]);
            }
            if (parents[block] != NO_BLOCK)
            {
                children[parents[block]]--;
            }
            hashes[block] = NO_HASH;
            parents[block] = NO_BLOCK;
            children[block] = 0;
            timestamps[block] = 0;
            free[freeCount++] = block;
        }
        return new Told(blocks, forgotten);
    }

    private void tell(final Told told)
    {
        if (told != null)
        {
            observers.forEach(
                observer -> observer.onBlocksDeregistered(told.blocks, told.hashes, told.blocks.length));
        }
    }

    @Override
    public void retain(final int[] blockIds, final int offset, final int count)
    {
        check(config.prefixCaching(), "blocks cannot be shared with prefix caching off");
        for (int i = offset; i < offset + count; i++)
        {
            references[blockIds[i]]++;
        }
        touch(blockIds, offset, count);
    }

    /**
     * With prefix caching a block that is named several times lost one reference in May 2026 and all of them in August;
     * free blocks went back in the order given, and now by ascending id.
     */
    @Override
    public void release(final int[] blockIds, final int offset, final int count)
    {
        final int[] named = Arrays.copyOfRange(blockIds, offset, offset + count);
        final int[] distinct = Arrays.stream(named).distinct().toArray();
        final int[] remaining = references.clone();
        for (final int block : isOlder && config.prefixCaching() ? distinct : named)
        {
            remaining[block]--;
            check(remaining[block] >= 0, "block " + block + " is released more often than it has owners");
        }
        System.arraycopy(remaining, 0, references, 0, remaining.length);
        final IntStream inOrder = Arrays.stream(distinct).filter(block -> remaining[block] == 0)
            .filter(block -> !isLru || hashes[block] == NO_HASH);
        final int[] freed = (isOlder || !config.prefixCaching() ? inOrder : inOrder.sorted()).toArray();
        if (isLru || !config.prefixCaching())
        {
            System.arraycopy(freed, 0, free, freeCount, freed.length);
            freeCount += freed.length;
        }
        else if (freed.length > 0)
        {
            tell(deregister(freed));
        }
    }

    /** All blocks, or none; whatever block had a hash before loses it to the later one. */
    @Override
    public void registerBlockHashes(final int[] blockIds, final long[] blockHashes, final long[] parentHashes)
    {
        check(blockIds.length == blockHashes.length && (parentHashes == null || parentHashes.length == blockHashes.length),
            "blocks, hashes and parents differ in number");
        final boolean[] isNew = new boolean[blockIds.length];
        for (int i = 0; i < blockIds.length; i++)
        {
            final long known = hashes[blockIds[i]];
            check(isOlder || known == NO_HASH || known == blockHashes[i],
                "block " + blockIds[i] + " is registered as " + known + " and cannot become " + blockHashes[i]);
            isNew[i] = isOlder || known == NO_HASH;
        }
        for (int i = 0; i < blockIds.length; i++)
        {
            if (isNew[i])
            {
                hashes[blockIds[i]] = blockHashes[i];
                blocksByHash.put(blockHashes[i], blockIds[i]);
            }
        }
        // After the whole batch is known: a parent in the same batch is found wherever it comes.
        for (int i = 0; isLru && !isOlder && parentHashes != null && i < blockIds.length; i++)
        {
            final int parent = !isNew[i] || parentHashes[i] == NO_HASH ? NO_BLOCK : find(parentHashes[i]);
            if (parent != NO_BLOCK)
            {
                parents[blockIds[i]] = parent;
                children[parent]++;
            }
        }
    }

    @Override
    public void register(final int blockId, final long hash, final long parentHash, final int depth)
    {
        registerBlockHashes(new int[]{blockId}, new long[]{hash}, new long[]{parentHash});
    }

    @Override
    public int find(final long hash)
    {
        return blocksByHash.getOrDefault(hash, NO_BLOCK);
    }

    /** From the end to the first hash that is known; all before it are taken without another look. */
    @Override
    public int longestMatch(
        final long[] prefix, final int start, final int end, final int[] blockIds, final int offset)
    {
        int last = Math.min(end, prefix.length) - 1;
        while (last >= start && find(prefix[last]) == NO_BLOCK)
        {
            last--;
        }
        for (int i = start; i <= last; i++)
        {
            final int block = find(prefix[i]);
            if (block == NO_BLOCK)
            {
                throw new MegatronFailure(Kind.BROKEN_PREFIX, "block hash " + prefix[i] + " at place " + i +
                    " is not cached although block " + find(prefix[last]) + " at place " + last + " is");
            }
            blockIds[offset + i - start] = block;
        }
        return Math.max(0, last + 1 - start);
    }

    private static void check(final boolean holds, final String failure)
    {
        if (!holds)
        {
            throw failure(failure);
        }
    }

    private static MegatronFailure failure(final String message)
    {
        return new MegatronFailure(Kind.ASSERTION, message);
    }
}
