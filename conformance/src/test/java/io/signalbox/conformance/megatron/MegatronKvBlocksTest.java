// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance.megatron;

import io.signalbox.conformance.megatron.MegatronFailure.Kind;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.kv.KvBlockAllocator;
import io.signalbox.kv.KvBlockConfig;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** How Megatron Core's blocks differ from the engine's, and its two profiles from each other. */
class MegatronKvBlocksTest
{
    private static MegatronKvBlocks pool(final AllocatorProfile profile)
    {
        return new MegatronKvBlocks(KvBlockConfig.of(10).withPrefixCaching(EvictionPolicy.LRU), profile, null);
    }

    private static int[] allocate(final KvBlockPool pool, final int count)
    {
        final int[] blocks = new int[count];
        assertTrue(pool.allocate(count, blocks, 0));
        return blocks;
    }

    private static void release(final KvBlockPool pool, final int... blocks)
    {
        pool.release(blocks, 0, blocks.length);
    }

    @Test
    void shouldFindACircleOnlyAtEviction()
    {
        final MegatronKvBlocks pool = pool(AllocatorProfile.MEGATRON_2026_08);
        final int[] blocks = allocate(pool, 2);
        pool.registerBlockHashes(blocks, new long[]{10, 20}, new long[]{20, 10});
        release(pool, blocks);
        assertEquals(Kind.ASSERTION, assertThrows(MegatronFailure.class, () -> pool.evictLru(1)).kind());
        assertEquals(2, pool.hashCount());
        assertEquals(7, pool.totalAvailable());
    }

    @Test
    void shouldLetALaterBlockTakeAHashOverAndLoseTheWayToTheDescendants()
    {
        final MegatronKvBlocks pool = pool(AllocatorProfile.MEGATRON_2026_08);
        final int[] blocks = allocate(pool, 3);
        pool.registerBlockHashes(new int[]{blocks[0], blocks[1]}, new long[]{77, 88}, new long[]{0, 77});
        pool.registerBlockHashes(new int[]{blocks[2]}, new long[]{77}, new long[]{0});
        assertEquals(blocks[2], pool.find(77));
        pool.tick();
        pool.touch(new int[]{blocks[1]}, 0, 1);
        release(pool, blocks);
        assertTrue(pool.evictLru(1));
        assertEquals(Kind.BROKEN_PREFIX, assertThrows(MegatronFailure.class,
            () -> pool.longestMatch(new long[]{77, 88}, 0, 2, new int[2], 0)).kind());
    }

    @Test
    void shouldCountACachedParentOfAnOwnedBlockAsEvictableAndThenFindNoLeaf()
    {
        final MegatronKvBlocks pool = pool(AllocatorProfile.MEGATRON_2026_08);
        final int[] blocks = allocate(pool, 9);
        pool.registerBlockHashes(new int[]{blocks[0], blocks[1]}, new long[]{10, 20}, new long[]{0, 10});
        release(pool, blocks[0]);
        assertEquals(1, pool.evictableCount());
        assertTrue(pool.isMemoryAvailable(1, 0));
        assertEquals(Kind.ASSERTION,
            assertThrows(MegatronFailure.class, () -> pool.allocate(1, new int[1], 0)).kind());
        assertEquals(0, pool.totalAvailable());
    }

    @Test
    void shouldTakeTheOldestBlockOfAChainInMay()
    {
        final MegatronKvBlocks pool = pool(AllocatorProfile.MEGATRON_2026_05);
        final int[] blocks = allocate(pool, 3);
        pool.registerBlockHashes(blocks, new long[]{10, 20, 30}, null);
        for (final int block : blocks)
        {
            pool.tick();
            pool.touch(new int[]{block}, 0, 1);
        }
        release(pool, blocks);
        assertTrue(pool.evictLru(1));
        assertEquals(KvBlockAllocator.NO_BLOCK, pool.find(10));
        assertEquals(blocks[1], pool.find(20));
        assertEquals(Kind.BROKEN_PREFIX, assertThrows(MegatronFailure.class,
            () -> pool.longestMatch(new long[]{10, 20, 30}, 0, 3, new int[3], 0)).kind());
    }

    @Test
    void shouldReleaseABlockThatIsNamedTwiceOnceInMayAndTwiceInAugust()
    {
        for (final AllocatorProfile profile : AllocatorProfile.values())
        {
            final MegatronKvBlocks pool = pool(profile);
            final int[] blocks = allocate(pool, 1);
            pool.retain(blocks, 0, 1);
            release(pool, blocks[0], blocks[0]);
            assertEquals(profile == AllocatorProfile.MEGATRON_2026_05 ? 1 : 0, pool.refCount(blocks[0]));
        }
    }

    @Test
    void shouldFreeBlocksInTheGivenOrderInMayAndAscendingInAugust()
    {
        for (final AllocatorProfile profile : AllocatorProfile.values())
        {
            final MegatronKvBlocks pool = pool(profile);
            final int[] blocks = allocate(pool, 2);
            release(pool, blocks[1], blocks[0]);
            assertArrayEquals(profile == AllocatorProfile.MEGATRON_2026_05 ? new int[]{blocks[1], blocks[0]} : blocks,
                allocate(pool, 2));
        }
    }

    @Test
    void shouldIgnoreInMayThatAMatchTakesFromWhatCanBeEvicted()
    {
        for (final AllocatorProfile profile : AllocatorProfile.values())
        {
            final MegatronKvBlocks pool = pool(profile);
            final int[] blocks = allocate(pool, 9);
            pool.registerBlockHashes(new int[]{blocks[0]}, new long[]{10}, null);
            release(pool, blocks[0]);
            assertEquals(profile == AllocatorProfile.MEGATRON_2026_05, pool.isMemoryAvailable(1, 1));
        }
    }

    @Test
    void shouldRefuseAReleaseThatNobodyOwnsAndChangeNothing()
    {
        for (final AllocatorProfile profile : AllocatorProfile.values())
        {
            final MegatronKvBlocks pool = pool(profile);
            final int[] blocks = allocate(pool, 1);
            assertThrows(MegatronFailure.class, () -> release(pool, blocks[0], blocks[0] - 1));
            assertEquals(1, pool.refCount(blocks[0]));
            assertFalse(pool.totalAvailable() == 9);
        }
    }
}
