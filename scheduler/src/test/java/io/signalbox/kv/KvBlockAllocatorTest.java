// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import io.signalbox.ConfigException;
import io.signalbox.InvariantViolation;
import org.junit.jupiter.api.Test;

import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class KvBlockAllocatorTest
{
    private static int[] allocate(final KvBlockAllocator allocator, final int count)
    {
        final int[] blockIds = new int[count];
        assertTrue(allocator.allocate(count, blockIds, 0));
        return blockIds;
    }

    /** A chain of registered blocks that nobody owns any more, last used at the current clock. */
    private static int[] cachedChain(final KvBlockAllocator allocator, final long... hashes)
    {
        final int[] blockIds = allocate(allocator, hashes.length);
        for (int i = 0; i < hashes.length; i++)
        {
            assertTrue(allocator.register(blockIds[i], hashes[i], i, i == 0 ? KvBlockAllocator.NO_BLOCK : blockIds[i - 1]));
        }
        allocator.release(blockIds, blockIds.length);
        return blockIds;
    }

    @Test
    void shouldHandOutTheTopOfTheStackInAscendingOrderAndKeepTheDummyBlock()
    {
        final KvBlockAllocator allocator = new KvBlockAllocator(491, EvictionPolicy.REF_ZERO, false);
        assertArrayEquals(new int[] {486, 487, 488, 489}, allocate(allocator, 4));
        assertEquals(490, allocator.dummyBlock());
        assertEquals(486, allocator.available());
        allocator.release(new int[] {488, 489}, 2);
        assertEquals(488, allocator.available());
    }

    @Test
    void shouldRefuseMoreThanThereIsAndChangeNothing()
    {
        final KvBlockAllocator allocator = new KvBlockAllocator(4, EvictionPolicy.LRU, true);
        final long digest = allocator.poolDigest();
        assertFalse(allocator.allocate(4, new int[4], 0));
        assertEquals(digest, allocator.poolDigest());
    }

    @Test
    void shouldCountIssues()
    {
        final KvBlockAllocator allocator = new KvBlockAllocator(2, EvictionPolicy.LRU, true);
        for (int issue = 1; issue <= 3; issue++)
        {
            final int[] block = allocate(allocator, 1);
            assertEquals(issue, allocator.issue(block[0]));
            allocator.release(block, 1);
        }
    }

    @Test
    void shouldKeepReleasedBlocksWithAHashUnderLruAndFreeThemUnderRefZero()
    {
        final KvBlockAllocator lru = new KvBlockAllocator(8, EvictionPolicy.LRU, true);
        cachedChain(lru, 111, 222);
        assertEquals(2, lru.evictable());
        assertEquals(2, lru.longestMatch(new long[] {111, 222, 333}, 3));

        final KvBlockAllocator refZero = new KvBlockAllocator(8, EvictionPolicy.REF_ZERO, true);
        cachedChain(refZero, 111, 222);
        assertEquals(7, refZero.available());
        assertEquals(0, refZero.longestMatch(new long[] {111, 222}, 2));
    }

    @Test
    void shouldEvictTheOldestLeafAndNeverAParentBeforeItsChild()
    {
        final KvBlockAllocator allocator = new KvBlockAllocator(5, EvictionPolicy.LRU, true);
        cachedChain(allocator, 10, 20, 30);
        allocator.tick();
        final int[] young = cachedChain(allocator, 40);
        assertEquals(4, allocator.allocatable());
        allocate(allocator, 1);
        assertEquals(30, allocator.evictedHash(0), "the tail of the older chain goes first");
        allocate(allocator, 2);
        assertEquals(20, allocator.evictedHash(1));
        assertEquals(10, allocator.evictedHash(2));
        assertEquals(young[0], allocator.find(40));
    }

    @Test
    void shouldNotEvictAPinnedMatch()
    {
        final KvBlockAllocator allocator = new KvBlockAllocator(3, EvictionPolicy.LRU, true);
        final int[] chain = cachedChain(allocator, 10, 20);
        allocator.retain(chain[0]);
        assertEquals(1, allocator.allocatable());
        allocate(allocator, 1);
        assertEquals(20, allocator.evictedHash(0));
        assertEquals(chain[0], allocator.find(10));
    }

    @Test
    void shouldRefuseASecondBlockUnderOneHash()
    {
        final KvBlockAllocator allocator = new KvBlockAllocator(8, EvictionPolicy.LRU, true);
        final int[] blocks = allocate(allocator, 2);
        assertTrue(allocator.register(blocks[0], 77, 0, KvBlockAllocator.NO_BLOCK));
        assertFalse(allocator.register(blocks[1], 77, 0, KvBlockAllocator.NO_BLOCK));
        assertEquals(blocks[0], allocator.find(77));
        allocator.release(blocks, 2);
        assertEquals(1, allocator.evictable());
    }

    @Test
    void shouldReturnABlockThatIsNamedTwiceWithItsLastReferenceOnly()
    {
        for (final EvictionPolicy policy : EvictionPolicy.values())
        {
            final KvBlockAllocator allocator = new KvBlockAllocator(8, policy, true);
            final int[] block = allocate(allocator, 1);
            allocator.register(block[0], 77, 0, KvBlockAllocator.NO_BLOCK);
            allocator.retain(block[0]);
            allocator.release(new int[] {block[0], block[0]}, 2);
            assertEquals(7, allocator.allocatable(), policy.name());
            assertEquals(7, Arrays.stream(allocate(allocator, 7)).distinct().count(), policy.name());
        }
    }

    @Test
    void shouldFindABlockOnlyAtTheDepthOfItsPrefix()
    {
        final KvBlockAllocator allocator = new KvBlockAllocator(8, EvictionPolicy.LRU, true);
        cachedChain(allocator, 77);
        assertEquals(1, allocator.longestMatch(new long[] {77, 77}, 2), "a table must not name a block twice");
        assertEquals(0, allocator.longestMatch(new long[] {5, 77}, 2));
    }

    @Test
    void shouldForgetEveryPrefixButKeepOwners()
    {
        final KvBlockAllocator allocator = new KvBlockAllocator(8, EvictionPolicy.LRU, true);
        final int[] chain = cachedChain(allocator, 10, 20);
        allocator.retain(chain[0]);
        allocator.forgetPrefixes();
        assertEquals(0, allocator.longestMatch(new long[] {10, 20}, 2));
        assertEquals(1, allocator.owned());
        allocator.release(chain, 1);
        assertEquals(7, allocator.available());
    }

    @Test
    void shouldStopOnReleaseOfAFreeBlockAndOnRetainOfOne()
    {
        final KvBlockAllocator allocator = new KvBlockAllocator(4, EvictionPolicy.LRU, true);
        assertThrows(InvariantViolation.class, () -> allocator.release(new int[] {0}, 1));
        assertThrows(InvariantViolation.class, () -> allocator.retain(0));
        assertThrows(InvariantViolation.class, () -> allocator.register(0, 5, 0, KvBlockAllocator.NO_BLOCK));
        assertThrows(ConfigException.class, () -> new KvBlockAllocator(1, EvictionPolicy.LRU, true));
    }

    @Test
    void shouldBeAsNewAfterReset()
    {
        final KvBlockAllocator used = new KvBlockAllocator(9, EvictionPolicy.LRU, true);
        cachedChain(used, 10, 20);
        allocate(used, 3);
        used.reset();
        assertEquals(8, used.available());
        assertEquals(0, used.evictable());
        assertArrayEquals(new int[] {4, 5, 6, 7}, allocate(used, 4));
        assertEquals(used.recomputePoolDigest(), used.poolDigest());
    }
}
