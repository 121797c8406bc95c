// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Random sequences of calls, against the model of lists and maps; {@code -Dsignalbox.tries=N} tries each N times. */
class KvBlockAllocatorPropertyTest
{
    @Provide
    Arbitrary<KvBlockConfig> pools()
    {
        return Combinators.combine(Arbitraries.integers().between(2, 24), Arbitraries.of(EvictionPolicy.values()))
            .as((blocks, policy) -> KvBlockConfig.of(blocks).withPrefixCaching(policy));
    }

    private static KvBlockConfig lru(final int blocks)
    {
        return KvBlockConfig.of(blocks).withPrefixCaching(EvictionPolicy.LRU);
    }

    @Property
    void lruEqualsTheModel(
        @ForAll @IntRange(min = 2, max = 24) final int blocks,
        @ForAll @Size(max = 60) final List<@IntRange(max = AllocatorRun.MAX_OPERATION) Integer> operations)
    {
        AllocatorRun.of(lru(blocks), operations);
    }

    @Property
    void refZeroEqualsTheModel(
        @ForAll @IntRange(min = 2, max = 24) final int blocks,
        @ForAll @Size(max = 60) final List<@IntRange(max = AllocatorRun.MAX_OPERATION) Integer> operations)
    {
        AllocatorRun.of(KvBlockConfig.of(blocks).withPrefixCaching(EvictionPolicy.REF_ZERO), operations);
    }

    @Property
    void withoutPrefixCachingEqualsTheModel(
        @ForAll @IntRange(min = 2, max = 24) final int blocks,
        @ForAll @Size(max = 60) final List<@IntRange(max = AllocatorRun.MAX_OPERATION) Integer> operations)
    {
        AllocatorRun.of(KvBlockConfig.of(blocks), operations);
    }

    @Property
    void freeCachedAndOwnedBlocksAreThePoolAndApart(
        @ForAll("pools") final KvBlockConfig pool,
        @ForAll @Size(max = 60) final List<@IntRange(max = AllocatorRun.MAX_OPERATION) Integer> operations)
    {
        final AllocatorRun run = new AllocatorRun(pool);
        for (final int operation : operations)
        {
            run.run(operation);
            final Set<Integer> free = new HashSet<>();
            for (int i = 0; i < run.allocator.totalAvailable(); i++)
            {
                assertTrue(free.add(run.allocator.freeBlock(i)), "a block is free twice");
            }
            int cached = 0;
            int owned = 0;
            for (int block = 0; block < run.allocator.dummyBlock(); block++)
            {
                final boolean isOwned = run.allocator.refCount(block) > 0;
                final boolean isCached = !isOwned && run.allocator.blockHash(block) != KvBlockAllocator.NO_HASH;
                assertFalse((isOwned || isCached) && free.contains(block), "block " + block + " is free and in use");
                owned += isOwned ? 1 : 0;
                cached += isCached ? 1 : 0;
            }
            assertEquals(owned, run.allocator.owned());
            assertEquals(run.allocator.dummyBlock(), free.size() + cached + owned);
            assertFalse(free.contains(run.allocator.dummyBlock()));
        }
    }

    @Property
    void noBlockHasTwoOwnersUnlessTheyShareIt(
        @ForAll("pools") final KvBlockConfig pool,
        @ForAll @Size(max = 60) final List<@IntRange(max = AllocatorRun.MAX_OPERATION) Integer> operations)
    {
        final AllocatorRun run = AllocatorRun.of(pool, operations);
        final int[] named = new int[pool.poolSize()];
        for (final List<Integer> table : run.tables())
        {
            assertEquals(table.size(), new HashSet<>(table).size(), "a table names a block twice");
            table.forEach(block -> named[block]++);
        }
        for (int block = 0; block < pool.poolSize(); block++)
        {
            assertEquals(named[block], run.allocator.refCount(block), "references to block " + block);
        }
    }

    @Property
    void noParentIsEvictedBeforeItsChild(
        @ForAll @IntRange(min = 2, max = 24) final int blocks,
        @ForAll @Size(max = 60) final List<@IntRange(max = AllocatorRun.MAX_OPERATION) Integer> operations)
    {
        final AllocatorRun run = AllocatorRun.of(lru(blocks), operations);
        run.allocator.addDeregistrationObserver((evicted, hashes, count) ->
        {
            for (int block = 0; block < run.allocator.dummyBlock(); block++)
            {
                final int parent = run.allocator.parent(block);
                assertTrue(parent == KvBlockAllocator.NO_BLOCK ||
                    run.allocator.blockHash(parent) != KvBlockAllocator.NO_HASH, "block " + block + " has lost its parent");
            }
        });
        while (run.allocator.evictableCount() > 0)
        {
            assertTrue(run.allocator.evictLru(1));
        }
    }

    @Property
    void exactlyTheEvictableBlocksCanBeEvicted(
        @ForAll @IntRange(min = 2, max = 24) final int blocks,
        @ForAll @Size(max = 60) final List<@IntRange(max = AllocatorRun.MAX_OPERATION) Integer> operations)
    {
        final AllocatorRun run = AllocatorRun.of(lru(blocks), operations);
        final int evictable = run.allocator.evictableCount();
        final int free = run.allocator.totalAvailable();
        assertFalse(run.allocator.evictLru(evictable + 1));
        assertTrue(run.allocator.evictLru(evictable));
        assertEquals(free + evictable, run.allocator.totalAvailable());
        assertEquals(0, run.allocator.evictableCount());
    }

    @Property
    void whatIsSaidToBeAvailableCanBeAllocated(
        @ForAll("pools") final KvBlockConfig pool,
        @ForAll @IntRange(max = 30) final int count,
        @ForAll @Size(max = 60) final List<@IntRange(max = AllocatorRun.MAX_OPERATION) Integer> operations)
    {
        final KvBlockAllocator allocator = AllocatorRun.of(pool, operations).allocator;
        final boolean isAvailable = allocator.isMemoryAvailable(count);
        assertEquals(count <= allocator.allocatableCount(), isAvailable);
        final long digest = allocator.poolDigest();
        assertEquals(isAvailable, allocator.allocate(count, new int[count], 0));
        assertEquals(isAvailable && count > 0, digest != allocator.poolDigest(), "refused without a change, or handed out");
    }

    @Property
    void usageCountsASharedBlockOnce(
        @ForAll("pools") final KvBlockConfig pool,
        @ForAll @Size(max = 60) final List<@IntRange(max = AllocatorRun.MAX_OPERATION) Integer> operations)
    {
        final AllocatorRun run = AllocatorRun.of(pool.withPausedLimit(pool.poolSize() / 3), operations);
        final int paused = run.tables().size() / 3;
        final Set<Integer> pausedBlocks = new HashSet<>();
        run.tables().subList(0, paused).forEach(pausedBlocks::addAll);
        final Set<Integer> activeBlocks = new HashSet<>();
        run.tables().subList(paused, run.tables().size()).forEach(activeBlocks::addAll);
        assertEquals(activeBlocks.size(), run.allocator.activeUsed());
        assertEquals(pausedBlocks.size(), run.allocator.pausedUsed());
        assertEquals(pool.poolSize() / 3 - pausedBlocks.size(), run.allocator.pausedAvailable());
    }

    @Property
    void everythingComesBackWhenEveryOwnerLeaves(
        @ForAll("pools") final KvBlockConfig pool,
        @ForAll @Size(max = 60) final List<@IntRange(max = AllocatorRun.MAX_OPERATION) Integer> operations)
    {
        final AllocatorRun run = AllocatorRun.of(pool, operations);
        run.everyoneLeaves();
        assertEquals(0, run.allocator.owned());
        assertEquals(run.allocator.dummyBlock(), run.allocator.allocatableCount(), "nothing stays pinned");
        run.allocator.forgetPrefixes();
        assertEquals(run.allocator.dummyBlock(), run.allocator.totalAvailable());
        assertEquals(0, run.allocator.hashCount());
    }

    @Property
    void resetEqualsNew(
        @ForAll("pools") final KvBlockConfig pool,
        @ForAll @Size(max = 60) final List<@IntRange(max = AllocatorRun.MAX_OPERATION) Integer> before,
        @ForAll @Size(max = 60) final List<@IntRange(max = AllocatorRun.MAX_OPERATION) Integer> after)
    {
        final AllocatorRun used = AllocatorRun.of(pool, before);
        used.run(9);
        used.allocator.clock(0);
        used.model.clock = 0;
        final AllocatorRun fresh = new AllocatorRun(pool);
        for (final int operation : after)
        {
            used.run(operation);
            fresh.run(operation);
            assertEquals(fresh.tables(), used.tables());
        }
        assertEquals(fresh.allocator.toString(), used.allocator.toString());
        assertEquals(fresh.allocator.prefixIndexDigest(), used.allocator.prefixIndexDigest());
    }
}
