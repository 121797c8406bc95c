// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * An allocator and its model side by side, through a sequence of operations. Each operation is one number, so that
 * jqwik can shrink a failing sequence; together they make requests that come, match, register, grow, share and go, and
 * calls that no request would make.
 */
final class AllocatorRun
{
    static final int MAX_OPERATION = 200_000;

    /** A request: its blocks and the hashes of its full ones. */
    private record Owner(List<Integer> table, long[] hashes)
    {
    }

    final KvBlockAllocator allocator;
    final AllocatorModel model;
    private final boolean caches;
    private final List<Owner> owners = new ArrayList<>();
    private final List<Integer> noticed = new ArrayList<>();

    AllocatorRun(final KvBlockConfig config)
    {
        allocator = new KvBlockAllocator(config);
        model = new AllocatorModel(config);
        caches = config.prefixCaching();
        allocator.addDeregistrationObserver((blocks, hashes, count) ->
            Arrays.stream(blocks, 0, count).forEach(noticed::add));
        allocator.requestBlocks(new OwnerTable());
    }

    boolean isLru()
    {
        return allocator.config().evictionPolicy() == EvictionPolicy.LRU;
    }

    static AllocatorRun of(final KvBlockConfig config, final List<Integer> operations)
    {
        final AllocatorRun run = new AllocatorRun(config);
        operations.forEach(run::run);
        return run;
    }

    void run(final int operation)
    {
        final int choice = operation / 10;
        switch (operation % 10)
        {
            case 0, 1, 2 -> arrive(choice);
            case 3, 4 -> leave(choice);
            case 5 -> registerOddly(choice);
            case 6 -> shareOrTouch(choice);
            case 7 -> evict(choice % 4);
            case 8 -> releaseSeveral(choice);
            default -> rarely(choice);
        }
        compare();
    }

    private void tick(final int steps)
    {
        for (int i = 0; i < steps; i++)
        {
            allocator.tick();
        }
        model.clock += steps;
    }

    private void arrive(final int choice)
    {
        final long[] hashes = hashes(choice);
        final List<Integer> matched = caches ? match(hashes, 0, hashes.length) : List.of();
        if (!matched.isEmpty())
        {
            allocator.retain(ints(matched), 0, matched.size());
            model.retain(matched);
        }
        final List<Integer> table = new ArrayList<>(matched);
        final int[] fresh = new int[hashes.length - matched.size() + choice % 2];
        final boolean allocated = allocator.allocate(fresh.length, fresh, 0);
        final List<Integer> expected = model.allocate(fresh.length);
        assertEquals(expected, allocated ? Arrays.stream(fresh).boxed().toList() : null, "handed out");
        if (allocated)
        {
            table.addAll(expected);
            register(table, hashes, matched.size());
        }
        owners.add(new Owner(table, hashes));
    }

    /** Prompts of three families with common beginnings; some name a hash twice. */
    private static long[] hashes(final int choice)
    {
        final long[] hashes = new long[1 + choice % 6];
        final int family = choice / 6 % 3;
        final int diverges = choice / 18 % 7;
        final boolean repeats = choice % 11 == 0;
        for (int i = 0; i < hashes.length; i++)
        {
            hashes[i] = 1 + (repeats ? i / 2 : i) + 100L * (i < diverges ? family : 10 + choice % 50);
        }
        return hashes;
    }

    private List<Integer> match(final long[] hashes, final int start, final int end)
    {
        final int[] blocks = new int[hashes.length];
        final int count = allocator.longestMatch(hashes, start, end, blocks, 0);
        final List<Integer> matched = Arrays.stream(blocks, 0, count).boxed().toList();
        assertEquals(model.longestMatch(hashes, start, end), matched, "matched");
        return matched;
    }

    private void register(final List<Integer> table, final long[] hashes, final int from)
    {
        if (!caches || from == hashes.length)
        {
            return;
        }
        final int count = hashes.length - from;
        final long[] parents = new long[count];
        for (int i = 0; i < count; i++)
        {
            parents[i] = from + i == 0 ? 0 : hashes[from + i - 1];
        }
        final int[] blocks = ints(table.subList(from, hashes.length));
        final long[] own = Arrays.copyOfRange(hashes, from, hashes.length);
        allocator.registerBlockHashes(blocks, own, parents);
        for (int i = 0; i < count; i++)
        {
            model.register(blocks[i], own[i], parents[i], parents[i] == 0 ? 0 : -1);
        }
    }

    /** Blocks of an owner that have no hash yet get one in an order that no prompt has: trees, gaps, single calls. */
    private void registerOddly(final int choice)
    {
        if (owners.isEmpty() || !caches)
        {
            return;
        }
        final List<Integer> nameless = owners.get(choice % owners.size()).table().stream()
            .filter(block -> allocator.blockHash(block) == KvBlockAllocator.NO_HASH).distinct().toList();
        final long[] own = new long[nameless.size()];
        final long[] parents = new long[own.length];
        for (int i = 0; i < own.length; i++)
        {
            own[i] = 1 + i + 100L * (choice % 13);
            // The root, a block of the same call, one of another prompt, or one that nobody has registered.
            parents[i] = switch ((choice + i) % 4)
            {
                case 0 -> 0;
                case 1 -> i == 0 ? 0 : own[i / 2];
                case 2 -> 1 + 100L * (choice % 3);
                default -> 7_000_000 + choice % 5;
            };
            parents[i] = parents[i] == own[i] ? 0 : parents[i];
        }
        if (choice % 2 == 0)
        {
            allocator.registerBlockHashes(ints(nameless), own, parents);
        }
        for (int i = 0; i < own.length; i++)
        {
            final int depth = choice % 2 == 0 ? parents[i] == 0 ? 0 : -1 : choice % 5;
            final boolean isNew = model.register(nameless.get(i), own[i], parents[i], depth);
            if (choice % 2 != 0)
            {
                assertEquals(isNew, allocator.register(nameless.get(i), own[i], parents[i], depth));
            }
        }
    }

    private void leave(final int choice)
    {
        if (!owners.isEmpty())
        {
            final Owner owner = owners.remove(choice % owners.size());
            release(owner.table());
        }
    }

    /** Releases all blocks of several requests in one call, in mixed order. */
    private void releaseSeveral(final int choice)
    {
        final List<Integer> blocks = new ArrayList<>();
        for (int i = 0; i < 1 + choice % 3 && !owners.isEmpty(); i++)
        {
            blocks.addAll(owners.remove((choice + i) % owners.size()).table());
        }
        java.util.Collections.rotate(blocks, choice % 7);
        release(blocks);
    }

    private void release(final List<Integer> blocks)
    {
        allocator.release(ints(blocks), 0, blocks.size());
        assertTrue(model.release(blocks));
    }

    private void shareOrTouch(final int choice)
    {
        if (owners.isEmpty())
        {
            return;
        }
        final Owner owner = owners.get(choice % owners.size());
        if (choice % 2 == 0 && caches)
        {
            allocator.retain(ints(owner.table()), 0, owner.table().size());
            model.retain(owner.table());
            owners.add(owner);
        }
        else
        {
            final List<Integer> cached = model.cached();
            final List<Integer> touched = choice % 3 == 0 && !cached.isEmpty() ?
                List.of(cached.get(choice % cached.size())) :
                choice % 3 == 1 && !model.free.isEmpty() ? model.free.subList(0, 1) : owner.table();
            allocator.touch(ints(touched), 0, touched.size());
            model.touch(touched);
        }
    }

    private void evict(final int count)
    {
        tick(count);
        assertEquals(isLru() && caches ? model.evict(count) : count == 0, allocator.evictLru(count), "evicted");
    }

    private void rarely(final int choice)
    {
        switch (choice % 8)
        {
            case 0 ->
            {
                allocator.reset();
                model.reset();
                owners.clear();
            }
            case 1 ->
            {
                allocator.forgetPrefixes();
                model.forgetPrefixes();
            }
            case 2 -> overRelease(choice);
            default -> match(hashes(choice), choice % 3, choice % 9);
        }
    }

    private void overRelease(final int choice)
    {
        if (!owners.isEmpty() && !owners.get(choice % owners.size()).table().isEmpty())
        {
            final List<Integer> blocks = new ArrayList<>(owners.get(choice % owners.size()).table());
            final int block = blocks.get(choice % blocks.size());
            blocks.addAll(java.util.Collections.nCopies(model.owners[block], block));
            final KvBlockException refused = assertThrows(KvBlockException.class,
                () -> allocator.release(ints(blocks), 0, blocks.size()));
            assertEquals(KvBlockException.Reason.OVER_RELEASE, refused.reason());
            assertEquals(List.of(block), Arrays.stream(refused.blockIds()).boxed().toList());
        }
    }

    /** Releases the blocks of every owner. */
    void everyoneLeaves()
    {
        while (!owners.isEmpty())
        {
            leave(0);
            compare();
        }
    }

    void compare()
    {
        assertEquals(model.free.size(), allocator.totalAvailable());
        for (int i = 0; i < model.free.size(); i++)
        {
            assertEquals(model.free.get(i), allocator.freeBlock(i), "free stack at " + i);
        }
        assertEquals(model.cached().size(), allocator.totalUsed() - allocator.owned(), "cached");
        assertEquals(model.evictable().size(), allocator.evictableCount(), "evictable");
        assertEquals(model.hashOf.size(), allocator.hashCount(), "hashes");
        for (int block = 0; block < allocator.config().poolSize(); block++)
        {
            compareBlock(block);
        }
        assertEquals(model.told, noticed, "observers were told of other blocks, or in another order");
        assertEquals(allocator.recomputePoolDigest(), allocator.poolDigest());
    }

    private void compareBlock(final int block)
    {
        final long hash = model.hashOf.getOrDefault(block, KvBlockAllocator.NO_HASH);
        assertEquals(hash == KvBlockAllocator.NO_HASH ? -1 : model.depthOf.get(block),
            hash == KvBlockAllocator.NO_HASH || allocator.depth(block) == BlockRecords.UNKNOWN_DEPTH ? -1 :
                allocator.depth(block), "depth of block " + block);
        assertEquals(model.owners[block], allocator.refCount(block), "owners of block " + block);
        assertEquals(hash, allocator.blockHash(block), "hash of block " + block);
        assertEquals(model.timestamps[block], allocator.timestamp(block), "timestamp of block " + block);
        assertEquals(model.parentOf.getOrDefault(block, KvBlockAllocator.NO_BLOCK), allocator.parent(block));
        assertEquals(model.parentOf.values().stream().filter(parent -> parent == block).count(),
            allocator.childCount(block), "children of block " + block);
        if (hash != KvBlockAllocator.NO_HASH)
        {
            assertEquals(block, allocator.find(hash), "block under hash " + hash);
            assertNotEquals(allocator.dummyBlock(), block);
        }
    }

    static int[] ints(final List<Integer> values)
    {
        return values.stream().mapToInt(Integer::intValue).toArray();
    }

    /** The first third of the owners counts as paused. */
    private final class OwnerTable implements RequestBlockTable
    {
        @Override
        public int pausedRequests()
        {
            return owners.size() / 3;
        }

        @Override
        public int totalRequests()
        {
            return owners.size();
        }

        @Override
        public int blockCount(final int row)
        {
            return owners.get(row).table().size();
        }

        @Override
        public int blockId(final int row, final int index)
        {
            return owners.get(row).table().get(index);
        }
    }

    List<List<Integer>> tables()
    {
        return owners.stream().map(Owner::table).toList();
    }
}
