// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance.megatron;

import io.signalbox.kv.DeregistrationObserver;
import io.signalbox.kv.KvBlockAllocator;
import io.signalbox.kv.KvBlockConfig;
import io.signalbox.kv.KvBlockListener;
import io.signalbox.kv.RequestBlockTable;

/** The engine's own allocator as a pool: the rules of Megatron Core's paging without the defects of its blocks. */
public final class ContractKvBlocks implements KvBlockPool
{
    private final KvBlockAllocator allocator;

    /** @param listener told of every hand-out and reset, or null. */
    public ContractKvBlocks(final KvBlockConfig config, final KvBlockListener listener)
    {
        allocator = new KvBlockAllocator(config, listener);
    }

    @Override
    public void reset()
    {
        allocator.reset();
    }

    @Override
    public void requestBlocks(final RequestBlockTable table)
    {
        allocator.requestBlocks(table);
    }

    @Override
    public int totalAvailable()
    {
        return allocator.totalAvailable();
    }

    @Override
    public int totalUsed()
    {
        return allocator.totalUsed();
    }

    @Override
    public int owned()
    {
        return allocator.owned();
    }

    @Override
    public int evictableCount()
    {
        return allocator.evictableCount();
    }

    @Override
    public int allocatableCount()
    {
        return allocator.allocatableCount();
    }

    @Override
    public int activeUsed()
    {
        return allocator.activeUsed();
    }

    @Override
    public int pausedUsed()
    {
        return allocator.pausedUsed();
    }

    @Override
    public int activeAvailable()
    {
        return allocator.activeAvailable();
    }

    @Override
    public int pausedAvailable()
    {
        return allocator.pausedAvailable();
    }

    @Override
    public int hashCount()
    {
        return allocator.hashCount();
    }

    @Override
    public boolean isMemoryAvailable(final int count, final int matched)
    {
        return allocator.isMemoryAvailable(count, matched);
    }

    @Override
    public int refCount(final int blockId)
    {
        return allocator.refCount(blockId);
    }

    @Override
    public long blockHash(final int blockId)
    {
        return allocator.blockHash(blockId);
    }

    @Override
    public long timestamp(final int blockId)
    {
        return allocator.timestamp(blockId);
    }

    @Override
    public int parent(final int blockId)
    {
        return allocator.parent(blockId);
    }

    @Override
    public int childCount(final int blockId)
    {
        return allocator.childCount(blockId);
    }

    @Override
    public int freeBlock(final int height)
    {
        return allocator.freeBlock(height);
    }

    @Override
    public void tick()
    {
        allocator.tick();
    }

    @Override
    public void clock(final long value)
    {
        allocator.clock(value);
    }

    @Override
    public void touch(final int[] blockIds, final int offset, final int count)
    {
        allocator.touch(blockIds, offset, count);
    }

    @Override
    public boolean evictLru(final int count)
    {
        return allocator.evictLru(count);
    }

    @Override
    public boolean allocate(final int count, final int[] blockIds, final int offset)
    {
        return allocator.allocate(count, blockIds, offset);
    }

    @Override
    public void retain(final int[] blockIds, final int offset, final int count)
    {
        allocator.retain(blockIds, offset, count);
    }

    @Override
    public void release(final int[] blockIds, final int offset, final int count)
    {
        allocator.release(blockIds, offset, count);
    }

    @Override
    public void registerBlockHashes(final int[] blockIds, final long[] hashes, final long[] parents)
    {
        allocator.registerBlockHashes(blockIds, hashes, parents);
    }

    @Override
    public void register(final int blockId, final long hash, final long parentHash, final int depth)
    {
        allocator.register(blockId, hash, parentHash, depth);
    }

    @Override
    public int find(final long hash)
    {
        return allocator.find(hash);
    }

    @Override
    public int longestMatch(final long[] hashes, final int start, final int end, final int[] blockIds, final int offset)
    {
        return allocator.longestMatch(hashes, start, end, blockIds, offset);
    }

    @Override
    public void addDeregistrationObserver(final DeregistrationObserver observer)
    {
        allocator.addDeregistrationObserver(observer);
    }

    @Override
    public String toString()
    {
        return allocator.toString();
    }
}
