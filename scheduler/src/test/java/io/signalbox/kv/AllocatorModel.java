// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The allocator as one would explain it: lists and maps, every question answered by a full scan. */
final class AllocatorModel
{
    private final EvictionPolicy policy;
    private final List<Integer> free = new ArrayList<>();
    private final int[] owners;
    private final long[] timestamps;
    private final Map<Integer, Long> hashOf = new HashMap<>();
    private final Map<Integer, Integer> depthOf = new HashMap<>();
    private final Map<Integer, Integer> parentOf = new HashMap<>();
    final List<Long> evicted = new ArrayList<>();
    long clock;

    AllocatorModel(final int blockCount, final EvictionPolicy policy)
    {
        this.policy = policy;
        owners = new int[blockCount];
        timestamps = new long[blockCount];
        for (int i = 0; i < blockCount - 1; i++)
        {
            free.add(i);
        }
    }

    List<Integer> cached()
    {
        return hashOf.keySet().stream().filter(block -> owners[block] == 0).toList();
    }

    int available()
    {
        return free.size();
    }

    int find(final long hash)
    {
        return hashOf.entrySet().stream().filter(entry -> entry.getValue() == hash)
            .map(Map.Entry::getKey).findAny().orElse(KvBlockAllocator.NO_BLOCK);
    }

    List<Integer> allocate(final int count)
    {
        if (count > free.size() + cached().size())
        {
            return null;
        }
        while (free.size() < count)
        {
            final int leaf = cached().stream().filter(block -> !parentOf.containsValue(block))
                .min(Comparator.<Integer>comparingLong(block -> timestamps[block]).thenComparing(block -> block))
                .orElseThrow();
            evicted.add(hashOf.get(leaf));
            forget(leaf);
            free.add(leaf);
        }
        final List<Integer> top = new ArrayList<>(free.subList(free.size() - count, free.size()));
        free.subList(free.size() - count, free.size()).clear();
        top.forEach(block ->
        {
            owners[block] = 1;
            timestamps[block] = clock;
        });
        return top;
    }

    void retain(final int block)
    {
        owners[block]++;
        timestamps[block] = clock;
    }

    void release(final List<Integer> blocks)
    {
        blocks.forEach(block -> owners[block]--);
        for (int i = blocks.size() - 1; i >= 0; i--)
        {
            final int block = blocks.get(i);
            if (owners[block] == 0 && (!hashOf.containsKey(block) || policy == EvictionPolicy.REF_ZERO))
            {
                forget(block);
                free.add(block);
            }
        }
    }

    boolean register(final int block, final long hash, final int depth, final int parent)
    {
        if (find(hash) != KvBlockAllocator.NO_BLOCK)
        {
            return false;
        }
        hashOf.put(block, hash);
        depthOf.put(block, depth);
        if (parent != KvBlockAllocator.NO_BLOCK)
        {
            parentOf.put(block, parent);
        }
        return true;
    }

    private void forget(final int block)
    {
        hashOf.remove(block);
        parentOf.remove(block);
    }

    int owners(final int block)
    {
        return owners[block];
    }

    /** Whether a match may go on with the block at this depth, behind the previous one. */
    boolean continues(final int block, final int depth, final int previous)
    {
        return block != KvBlockAllocator.NO_BLOCK && depthOf.get(block) == depth &&
            parentOf.getOrDefault(block, previous) == previous;
    }

    long hashOf(final int block)
    {
        return hashOf.getOrDefault(block, KvBlockAllocator.NO_HASH);
    }
}
