// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance.megatron;

import io.signalbox.kv.DeregistrationObserver;
import io.signalbox.kv.KvBlockAllocator;
import io.signalbox.kv.KvBlockConfig;
import io.signalbox.kv.KvBlockListener;
import io.signalbox.kv.RequestBlockTable;

/**
 * The KV blocks that a {@link MegatronPlanner} decides about: those of Signalbox ({@link ContractKvBlocks}) or those of
 * Megatron Core ({@link MegatronKvBlocks}). The operations are those of {@link KvBlockAllocator}.
 */
public interface KvBlockPool
{
    /** Makes the pool of a planner. */
    @FunctionalInterface
    interface Maker
    {
        /** @param listener told of every hand-out and reset, or null. */
        KvBlockPool make(KvBlockConfig config, KvBlockListener listener);
    }

    /** Every block free, no hash known. */
    void reset();

    /** Sets the table that {@link #activeUsed()} and {@link #pausedUsed()} are counted from. */
    void requestBlocks(RequestBlockTable table);

    int totalAvailable();

    int totalUsed();

    /** Blocks with at least one owner. */
    int owned();

    int evictableCount();

    int allocatableCount();

    int activeUsed();

    int pausedUsed();

    int activeAvailable();

    int pausedAvailable();

    int hashCount();

    boolean isMemoryAvailable(int count, int matched);

    int refCount(int blockId);

    long blockHash(int blockId);

    long timestamp(int blockId);

    /** The registered block that this one builds upon, or {@link KvBlockAllocator#NO_BLOCK}. */
    int parent(int blockId);

    int childCount(int blockId);

    /** A free block by its height above the bottom of the stack. */
    int freeBlock(int height);

    void tick();

    void clock(long value);

    void touch(int[] blockIds, int offset, int count);

    boolean evictLru(int count);

    boolean allocate(int count, int[] blockIds, int offset);

    void retain(int[] blockIds, int offset, int count);

    void release(int[] blockIds, int offset, int count);

    void registerBlockHashes(int[] blockIds, long[] hashes, long[] parents);

    void register(int blockId, long hash, long parentHash, int depth);

    /** The block registered under the hash, or {@link KvBlockAllocator#NO_BLOCK}. */
    int find(long hash);

    int longestMatch(long[] hashes, int start, int end, int[] blockIds, int offset);

    void addDeregistrationObserver(DeregistrationObserver observer);
}
