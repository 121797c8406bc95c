// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Random sequences of prompts that come, match, grow and go, against the model of lists and maps. */
class KvBlockAllocatorPropertyTest
{
    private record Owner(List<Integer> table, List<Long> hashes)
    {
    }

    /** Runs both side by side; each operation is a number, so that jqwik can shrink a failing sequence. */
    private static final class SideBySide
    {
        final KvBlockAllocator allocator;
        final AllocatorModel model;
        final List<Owner> owners = new ArrayList<>();
        private int evictedSeen;

        SideBySide(final int blockCount, final EvictionPolicy policy)
        {
            allocator = new KvBlockAllocator(blockCount, policy, true);
            model = new AllocatorModel(blockCount, policy);
        }

        void run(final int operation)
        {
            switch (operation % 4)
            {
                case 0, 1 -> arrive(operation / 4);
                case 2 -> leave(operation / 4);
                default ->
                {
                    allocator.tick();
                    model.clock++;
                }
            }
            compare();
        }

        private void arrive(final int choice)
        {
            final int length = 1 + choice % 6;
            final int family = choice / 6 % 3;
            final int diverges = choice / 18 % 7;
            // Now and then a prompt that names one hash twice: no input of a client may break the allocator.
            final boolean repeats = choice % 5 == 0;
            final long[] hashes = new long[length];
            for (int i = 0; i < length; i++)
            {
                hashes[i] = 1 + (repeats ? i / 2 : i) + 100L * (i < diverges ? family : 10 + choice % 50);
            }
            final int matched = allocator.longestMatch(hashes, length);
            assertEquals(bruteForceMatch(hashes), matched);
            final List<Integer> table = new ArrayList<>();
            for (int i = 0; i < matched; i++)
            {
                table.add(allocator.find(hashes[i]));
                allocator.retain(table.get(i));
                model.retain(table.get(i));
            }
            final int[] fresh = new int[length - matched];
            final boolean allocated = allocator.allocate(fresh.length, fresh, 0);
            final List<Integer> expected = model.allocate(fresh.length);
            assertEquals(expected != null, allocated);
            if (allocated)
            {
                for (int i = 0; i < fresh.length; i++)
                {
                    assertEquals(expected.get(i), fresh[i]);
                    table.add(fresh[i]);
                }
            }
            owners.add(new Owner(table, Arrays.stream(hashes).boxed().toList()));
            for (int i = matched; i < table.size(); i++)
            {
                final int parent = i > 0 && model.hashOf(table.get(i - 1)) == hashes[i - 1] ?
                    table.get(i - 1) : KvBlockAllocator.NO_BLOCK;
                assertEquals(model.register(table.get(i), hashes[i], i, parent),
                    allocator.register(table.get(i), hashes[i], i, parent));
            }
        }

        private int bruteForceMatch(final long[] hashes)
        {
            int matched = 0;
            int previous = KvBlockAllocator.NO_BLOCK;
            while (matched < hashes.length && model.continues(model.find(hashes[matched]), matched, previous))
            {
                previous = model.find(hashes[matched++]);
            }
            return matched;
        }

        private void leave(final int choice)
        {
            if (!owners.isEmpty())
            {
                final Owner owner = owners.remove(choice % owners.size());
                final int[] table = owner.table().stream().mapToInt(Integer::intValue).toArray();
                allocator.release(table, table.length);
                model.release(owner.table());
            }
        }

        private void compare()
        {
            assertEquals(model.available(), allocator.available());
            assertEquals(model.cached().size(), allocator.evictable());
            assertEquals(allocator.blockCount() - 1, allocator.available() + allocator.evictable() + allocator.owned());
            for (int block = 0; block < allocator.blockCount(); block++)
            {
                assertEquals(model.owners(block), allocator.refCount(block), "owners of block " + block);
                assertEquals(model.hashOf(block), allocator.blockHash(block), "hash of block " + block);
            }
            assertEquals(model.evicted.size(), allocator.evictedCount());
            for (; evictedSeen < model.evicted.size(); evictedSeen++)
            {
                assertEquals(model.evicted.get(evictedSeen), allocator.evictedHash(evictedSeen), "evicted in another order");
            }
            assertEquals(allocator.recomputePoolDigest(), allocator.poolDigest());
        }
    }

    @Property(tries = 1000)
    void lruEqualsTheModel(
        @ForAll @IntRange(min = 2, max = 24) final int blocks,
        @ForAll @Size(max = 60) final List<@IntRange(max = 20_000) Integer> operations)
    {
        final SideBySide both = new SideBySide(blocks, EvictionPolicy.LRU);
        operations.forEach(both::run);
    }

    @Property(tries = 1000)
    void refZeroEqualsTheModel(
        @ForAll @IntRange(min = 2, max = 24) final int blocks,
        @ForAll @Size(max = 60) final List<@IntRange(max = 20_000) Integer> operations)
    {
        final SideBySide both = new SideBySide(blocks, EvictionPolicy.REF_ZERO);
        operations.forEach(both::run);
    }

    @Property(tries = 500)
    void everythingComesBackWhenEveryOwnerLeaves(
        @ForAll @Size(max = 60) final List<@IntRange(max = 20_000) Integer> operations)
    {
        final SideBySide both = new SideBySide(16, EvictionPolicy.LRU);
        operations.forEach(both::run);
        while (!both.owners.isEmpty())
        {
            both.run(2);
        }
        assertEquals(0, both.allocator.owned());
        both.allocator.forgetPrefixes();
        assertEquals(15, both.allocator.available());
        assertTrue(both.allocator.evictable() == 0);
    }
}
