// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** A simple model of the allocator: lists and maps, and a full scan for every query. */
final class AllocatorModel
{
    private final KvBlockConfig config;
    private final boolean isLru;
    final List<Integer> free = new ArrayList<>();
    final int[] owners;
    final long[] timestamps;
    final Map<Integer, Long> hashOf = new HashMap<>();
    final Map<Integer, Integer> depthOf = new HashMap<>();
    final Map<Integer, Integer> parentOf = new HashMap<>();
    /** Blocks that observers are notified of, in order. */
    final List<Integer> told = new ArrayList<>();
    long clock;

    AllocatorModel(final KvBlockConfig config)
    {
        this.config = config;
        isLru = config.prefixCaching() && config.evictionPolicy() == EvictionPolicy.LRU;
        owners = new int[config.poolSize()];
        timestamps = new long[config.poolSize()];
        reset();
    }

    void reset()
    {
        free.clear();
        hashOf.clear();
        depthOf.clear();
        parentOf.clear();
        for (int block = 0; block < config.poolSize(); block++)
        {
            owners[block] = 0;
            timestamps[block] = 0;
            if (block < config.poolSize() - 1)
            {
                free.add(block);
            }
        }
    }

    List<Integer> cached()
    {
        return hashOf.keySet().stream().filter(block -> owners[block] == 0).sorted().toList();
    }

    /** Cached blocks that no owned block builds upon, near or far. */
    List<Integer> evictable()
    {
        return cached().stream().filter(block -> !isPinned(block)).toList();
    }

    private boolean isPinned(final int block)
    {
        return owners[block] > 0 || parentOf.entrySet().stream()
            .anyMatch(child -> child.getValue() == block && isPinned(child.getKey()));
    }

    int find(final long hash)
    {
        return hashOf.entrySet().stream().filter(entry -> entry.getValue() == hash)
            .map(Map.Entry::getKey).findAny().orElse(KvBlockAllocator.NO_BLOCK);
    }

    boolean evict(final int count)
    {
        if (count > evictable().size())
        {
            return false;
        }
        for (int i = 0; i < count; i++)
        {
            final int leaf = evictable().stream().filter(block -> !parentOf.containsValue(block))
                .min(Comparator.<Integer>comparingLong(block -> timestamps[block]).thenComparing(block -> block))
                .orElseThrow();
            told.add(leaf);
            forget(leaf);
            timestamps[leaf] = 0;
            free.add(leaf);
        }
        return true;
    }

    List<Integer> allocate(final int count)
    {
        if (count > free.size() && (!isLru || !evict(count - free.size())))
        {
            return null;
        }
        final List<Integer> top = free.subList(free.size() - count, free.size());
        final List<Integer> blocks = new ArrayList<>(top);
        top.clear();
        blocks.forEach(block -> owners[block] = 1);
        touch(blocks);
        return blocks;
    }

    void touch(final List<Integer> blocks)
    {
        blocks.forEach(block -> timestamps[block] = isLru ? clock : 0);
    }

    void retain(final List<Integer> blocks)
    {
        blocks.forEach(block -> owners[block]++);
        touch(blocks);
    }

    /** Returns false, with nothing changed, when a block has fewer owners than it is named. */
    boolean release(final List<Integer> blocks)
    {
        if (blocks.stream().anyMatch(block -> owners[block] < Collections.frequency(blocks, block)))
        {
            return false;
        }
        final List<Integer> orphans = new ArrayList<>();
        for (final int block : blocks)
        {
            owners[block]--;
            if (owners[block] == 0)
            {
                orphans.add(block);
            }
        }
        (config.prefixCaching() ? new TreeSet<>(orphans) : orphans).stream()
            .filter(block -> !isLru || !hashOf.containsKey(block)).forEach(block ->
            {
                if (config.prefixCaching() && !isLru)
                {
                    told.add(block);
                }
                forget(block);
                free.add(block);
            });
        return true;
    }

    /** @param depth used if the parent is not known; -1 if not given. */
    boolean register(final int block, final long hash, final long parentHash, final int depth)
    {
        if (hashOf.containsKey(block) || find(hash) != KvBlockAllocator.NO_BLOCK)
        {
            return false;
        }
        final int parent = parentHash == 0 ? KvBlockAllocator.NO_BLOCK : find(parentHash);
        hashOf.put(block, hash);
        final int behind = parent == KvBlockAllocator.NO_BLOCK ? depth : depthOf.get(parent) + 1;
        depthOf.put(block, parent != KvBlockAllocator.NO_BLOCK && depthOf.get(parent) < 0 ? -1 : behind);
        if (parent != KvBlockAllocator.NO_BLOCK && isLru)
        {
            parentOf.put(block, parent);
        }
        return true;
    }

    private void forget(final int block)
    {
        hashOf.remove(block);
        depthOf.remove(block);
        parentOf.remove(block);
    }

    void forgetPrefixes()
    {
        final List<Integer> cached = cached();
        cached.forEach(block -> timestamps[block] = 0);
        hashOf.clear();
        depthOf.clear();
        parentOf.clear();
        free.addAll(cached);
    }

    List<Integer> longestMatch(final long[] hashes, final int start, final int end)
    {
        final List<Integer> matched = new ArrayList<>();
        int previous = start == 0 ? KvBlockAllocator.NO_BLOCK : find(hashes[start - 1]);
        for (int i = start; i < Math.min(end, hashes.length); i++)
        {
            final int block = find(hashes[i]);
            if (block == KvBlockAllocator.NO_BLOCK || depthOf.get(block) != i ||
                parentOf.getOrDefault(block, previous) != previous)
            {
                break;
            }
            matched.add(block);
            previous = block;
        }
        return matched;
    }
}
