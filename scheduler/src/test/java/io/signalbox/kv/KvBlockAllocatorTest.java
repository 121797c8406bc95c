// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import io.signalbox.ConfigException;
import io.signalbox.kv.KvBlockException.Reason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.Arrays;
import java.util.stream.IntStream;

import static io.signalbox.kv.Blocks.allocate;
import static io.signalbox.kv.Blocks.hashes;
import static io.signalbox.kv.Blocks.release;
import static io.signalbox.kv.Blocks.retain;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The cases of Megatron Core's own tests of its allocator, and the further guarantees of this one. */
class KvBlockAllocatorTest
{
    private static KvBlockAllocator pool(final int blocks, final EvictionPolicy policy)
    {
        return new KvBlockAllocator(KvBlockConfig.of(blocks).withPrefixCaching(policy));
    }

    @Test
    void shouldGoRoundWithoutPrefixCaching()
    {
        final KvBlockAllocator allocator = new KvBlockAllocator(KvBlockConfig.of(10).withPausedLimit(2));
        assertEquals("blocks: occupied 0/9; allocatable 9; active-used 0; paused-used 0/2", allocator.toString());
        assertEquals(9, allocator.totalAvailable());
        assertEquals(9, allocator.allocatableCount());
        assertEquals(0, allocator.totalUsed());
        assertTrue(allocator.isMemoryAvailable(5));
        final int[] blocks = allocate(allocator, 3);
        assertEquals(6, allocator.totalAvailable());
        release(allocator);
        assertEquals(6, allocator.totalAvailable());
        release(allocator, blocks);
        assertEquals(9, allocator.totalAvailable());
    }

    @Test
    void shouldSayNoWhenThePoolIsTooSmallAndChangeNothing()
    {
        for (final KvBlockConfig config : new KvBlockConfig[]{KvBlockConfig.of(4).withPausedLimit(1),
            KvBlockConfig.of(4).withPrefixCaching(EvictionPolicy.LRU)})
        {
            final KvBlockAllocator allocator = new KvBlockAllocator(config);
            final long digest = allocator.poolDigest();
            assertFalse(allocator.isMemoryAvailable(5));
            assertFalse(allocator.allocate(5, new int[5], 0));
            assertEquals(digest, allocator.poolDigest());
        }
    }

    @Test
    void shouldRefuseAPausedLimitThatLeavesNoBlockToActiveRequests()
    {
        for (final int[] poolAndLimit : new int[][]{{3, 2}, {3, -1}, {1, 0}, {KvBlockConfig.MAX_POOL_SIZE + 1, 0}})
        {
            final ConfigException refused = assertThrows(ConfigException.class,
                () -> KvBlockConfig.of(poolAndLimit[0]).withPausedLimit(poolAndLimit[1]));
            assertTrue(refused.getMessage().matches("(poolSize|pausedLimit)=-?\\d+ is not between .*; give .*\\."));
        }
    }

    @Test
    void shouldHaveTheDefaultsOfTheReference()
    {
        final KvBlockConfig defaults = KvBlockConfig.of(10);
        assertFalse(defaults.prefixCaching());
        assertEquals(EvictionPolicy.REF_ZERO, defaults.evictionPolicy());
    }

    @Test
    void shouldRefuseAPoolWithoutAnEvictionPolicy()
    {
        assertThrows(ConfigException.class, () -> new KvBlockConfig(4, 0, true, null));
    }

    @Test
    void shouldHandOutTheTopOfTheStackFromBottomToTop()
    {
        final KvBlockAllocator allocator = new KvBlockAllocator(KvBlockConfig.of(491));
        assertArrayEquals(new int[]{486, 487, 488, 489}, allocate(allocator, 4));
        release(allocator, 488, 489);
        assertArrayEquals(new int[]{489}, allocate(allocator, 1));
    }

    @Test
    void shouldReturnBlocksInTheGivenOrderWithoutPrefixCachingAndAscendingWithIt()
    {
        final KvBlockAllocator plain = new KvBlockAllocator(KvBlockConfig.of(8));
        allocate(plain, 7);
        release(plain, 5, 1, 3);
        assertArrayEquals(new int[]{5, 1, 3}, allocate(plain, 3));
        final KvBlockAllocator caching = pool(8, EvictionPolicy.LRU);
        allocate(caching, 7);
        release(caching, 5, 1, 3);
        assertArrayEquals(new int[]{1, 3, 5}, allocate(caching, 3));
    }

    @Test
    void shouldReturnManyBlocksInAscendingOrder()
    {
        final KvBlockAllocator allocator = pool(70_000, EvictionPolicy.LRU);
        final int[] blocks = allocate(allocator, 69_999);
        final int[] shuffled =
            IntStream.range(0, blocks.length).map(i -> blocks[(int)(i * 40_009L % blocks.length)]).toArray();
        release(allocator, shuffled);
        assertArrayEquals(blocks, allocate(allocator, 69_999));
    }

    @Test
    void shouldStartOverOnReset()
    {
        final KvBlockAllocator allocator = pool(8, EvictionPolicy.LRU);
        final int[] blocks = allocate(allocator, 4);
        allocator.registerBlockHashes(blocks, hashes(1, 2, 3, 4), hashes(0, 1, 2, 3));
        allocator.clock(5);
        allocator.touch(blocks, 0, 4);
        release(allocator, blocks[0], blocks[1]);
        allocator.reset();
        assertArrayEquals(new int[]{0, 1, 2, 3, 4, 5, 6}, IntStream.range(0, 7).map(allocator::freeBlock).toArray());
        assertEquals(0, allocator.hashCount());
        assertEquals(0, allocator.evictableCount());
        assertEquals(5, allocator.clock(), "the clock belongs to the context");
        assertEquals(0, allocator.timestamp(blocks[0]));
        assertEquals(allocator.recomputePoolDigest(), allocator.poolDigest());
        allocate(allocator, 1);
        release(allocator, 6);
        assertEquals(7, allocator.totalAvailable());
    }

    @Test
    void shouldCountBlocksPerRequestWithoutPrefixCaching()
    {
        final KvBlockAllocator allocator = new KvBlockAllocator(KvBlockConfig.of(20).withPausedLimit(2));
        allocator.requestBlocks(new Rows(1, new int[]{0}, new int[]{1, 2}, new int[]{3, 4, 5}, new int[]{6, 7, 8, 9}));
        assertEquals(9, allocator.activeUsed());
        assertEquals(1, allocator.pausedUsed());
        assertEquals(20 - 1 - 2 - 9, allocator.activeAvailable());
        assertEquals(1, allocator.pausedAvailable());
        allocator.requestBlocks(new Rows(2, new int[5], new int[7]));
        assertEquals(0, allocator.activeUsed());
        assertEquals(12, allocator.pausedUsed());
        assertEquals(-10, allocator.pausedAvailable());
    }

    @Test
    void shouldCountASharedBlockOncePerSide()
    {
        final KvBlockAllocator allocator = pool(10, EvictionPolicy.LRU);
        allocator.requestBlocks(new Rows(1, new int[0], new int[]{2, 3}, new int[]{3, 4, 5}));
        assertEquals(4, allocator.activeUsed());
        assertEquals(0, allocator.pausedUsed());
        allocator.requestBlocks(new Rows(2, new int[]{1, 2}, new int[]{1, 3}));
        assertEquals(0, allocator.activeUsed());
        assertEquals(3, allocator.pausedUsed());
        allocator.requestBlocks(new Rows(1, new int[]{1, 2}, new int[]{2, 3}));
        assertEquals(2, allocator.activeUsed(), "a block of both sides counts on both");
        assertEquals(2, allocator.pausedUsed());
    }

    @ParameterizedTest
    @EnumSource
    void shouldFindWhatWasRegistered(final EvictionPolicy policy)
    {
        final KvBlockAllocator allocator = pool(10, policy);
        final int[] blocks = allocate(allocator, 4);
        assertEquals(1, allocator.refCount(blocks[0]));
        allocator.registerBlockHashes(new int[]{blocks[1], blocks[3]}, hashes(111, 333), null);
        assertEquals(blocks[1], allocator.find(111));
        assertEquals(blocks[3], allocator.find(333));
        assertEquals(KvBlockAllocator.NO_BLOCK, allocator.find(222));
        allocator.registerBlockHashes(new int[]{blocks[0]}, hashes(222), hashes(111));
        assertEquals(blocks[0], allocator.find(222));
        final KvBlockException refused = assertThrows(KvBlockException.class,
            () -> allocator.registerBlockHashes(new int[]{blocks[2]}, hashes(5), hashes(0, 0)));
        assertEquals(Reason.LENGTH_MISMATCH, refused.reason());
        assertEquals(3, allocator.hashCount());
    }

    @Test
    void shouldCountEveryRetainAndEveryRelease()
    {
        final KvBlockAllocator allocator = pool(10, EvictionPolicy.REF_ZERO);
        final int block = allocate(allocator, 1)[0];
        allocator.registerBlockHashes(new int[]{block}, hashes(101), null);
        retain(allocator, block);
        retain(allocator, block);
        assertEquals(3, allocator.refCount(block));
        retain(allocator, block, block);
        assertEquals(5, allocator.refCount(block));
        release(allocator, block);
        release(allocator, block);
        assertEquals(block, allocator.find(101));
        release(allocator, block, block, block);
        assertEquals(0, allocator.refCount(block));
        assertEquals(KvBlockAllocator.NO_BLOCK, allocator.find(101));
    }

    @ParameterizedTest
    @EnumSource
    void shouldReleaseASharedBlockWithItsLastReference(final EvictionPolicy policy)
    {
        final KvBlockAllocator allocator = pool(6, policy);
        final int block = allocate(allocator, 1)[0];
        allocator.registerBlockHashes(new int[]{block}, hashes(111), null);
        retain(allocator, block);
        final int available = allocator.totalAvailable();
        final int allocatable = allocator.allocatableCount();
        release(allocator, block, block);
        final boolean isLru = policy == EvictionPolicy.LRU;
        assertEquals(0, allocator.refCount(block));
        assertEquals(isLru ? 111 : KvBlockAllocator.NO_HASH, allocator.blockHash(block));
        assertEquals(available + (isLru ? 0 : 1), allocator.totalAvailable());
        assertEquals(allocatable + 1, allocator.allocatableCount());
        assertEquals(isLru ? 1 : 0, allocator.totalUsed());
    }

    @Test
    void shouldFreeSharedAndPrivateBlocksTogetherOncePerOwner()
    {
        final KvBlockAllocator allocator = pool(8, EvictionPolicy.REF_ZERO);
        final int[] blocks = allocate(allocator, 2);
        final int shared = blocks[0];
        allocator.registerBlockHashes(new int[]{shared}, hashes(111), null);
        retain(allocator, shared, shared);
        final int available = allocator.totalAvailable();
        release(allocator, shared);
        assertEquals(2, allocator.refCount(shared));
        assertEquals(available, allocator.totalAvailable());
        release(allocator, shared, blocks[1], shared);
        assertEquals(available + 2, allocator.totalAvailable());
        assertEquals(KvBlockAllocator.NO_BLOCK, allocator.find(111));
        assertEquals(7, IntStream.range(0, 7).map(allocator::freeBlock).distinct().count());
    }

    @Test
    void shouldLookAtMatchedBlocksBeforePromisingMemory()
    {
        final KvBlockAllocator allocator = pool(6, EvictionPolicy.LRU);
        final int[] blocks = allocate(allocator, 5);
        allocator.registerBlockHashes(Arrays.copyOf(blocks, 2), hashes(10, 20), hashes(0, 10));
        release(allocator, blocks[0], blocks[1]);
        assertTrue(allocator.isMemoryAvailable(2));
        assertFalse(allocator.isMemoryAvailable(2, 1));
        assertTrue(allocator.isMemoryAvailable(1, 1));
        assertFalse(allocator.isMemoryAvailable(1, 2));
        allocate(allocator, 2);
        assertEquals(0, allocator.hashCount());
        assertEquals(0, allocator.allocatableCount());
    }

    @Test
    void shouldCountIssues()
    {
        final KvBlockAllocator allocator = pool(2, EvictionPolicy.LRU);
        for (int issue = 1; issue <= 70_000; issue++)
        {
            final int[] block = allocate(allocator, 1);
            assertEquals(issue, allocator.issue(block[0]));
            release(allocator, block);
        }
        allocator.reset();
        assertEquals(70_001, allocator.issue(allocate(allocator, 1)[0]), "a reset ends no issue's name");
    }

    @Test
    void shouldRefuseMoreOwnersThanABlockCanCount()
    {
        final KvBlockAllocator allocator = pool(3, EvictionPolicy.LRU);
        final int block = allocate(allocator, 1)[0];
        final int[] owners = new int[1 << 23];
        Arrays.fill(owners, block);
        allocator.retain(owners, 0, owners.length);
        final long digest = allocator.poolDigest();
        assertEquals(Reason.TOO_MANY_OWNERS,
            assertThrows(KvBlockException.class, () -> allocator.retain(owners, 0, owners.length)).reason());
        assertEquals(digest, allocator.poolDigest());
        assertEquals(digest, allocator.recomputePoolDigest());
        assertEquals(1, allocator.issue(block));
    }

    /** The original lets the later block take it over: spec section 7, defect 5. */
    @Test
    void shouldKeepAHashWithTheBlockThatHasIt()
    {
        final KvBlockAllocator allocator = pool(8, EvictionPolicy.LRU);
        final int[] blocks = allocate(allocator, 3);
        allocator.registerBlockHashes(new int[]{blocks[0], blocks[1]}, hashes(77, 88), hashes(0, 77));
        allocator.registerBlockHashes(new int[]{blocks[2]}, hashes(77), hashes(0));
        assertEquals(blocks[0], allocator.find(77));
        release(allocator, blocks);
        assertEquals(2, allocator.longestMatch(hashes(77, 88), 0, 2, new int[2], 0));
    }

    @Test
    void shouldMatchOnlyBlocksThatBuildUponEachOther()
    {
        final KvBlockAllocator allocator = pool(10, EvictionPolicy.LRU);
        final int[] first = allocate(allocator, 3);
        allocator.registerBlockHashes(first, hashes(1, 2, 3), hashes(0, 1, 2));
        final int[] matched = new int[3];
        assertEquals(3, allocator.longestMatch(hashes(1, 2, 3, 4), 0, 4, new int[4], 0));
        assertEquals(1, allocator.longestMatch(hashes(1, 9, 3), 0, 3, matched, 0), "a broken chain ends the match");
        assertEquals(0, allocator.longestMatch(hashes(9, 2, 3), 0, 3, matched, 0));
        assertEquals(1, allocator.longestMatch(hashes(1, 1, 1), 0, 3, matched, 0), "no block is matched twice");
        assertEquals(2, allocator.longestMatch(hashes(1, 2, 3), 1, 3, matched, 1));
        assertEquals(first[2], matched[2]);
        assertEquals(0, allocator.longestMatch(hashes(1, 2, 3), 3, 9, matched, 0));
    }

    @Test
    void shouldEndALongMatchWhereverOnePromptGoesOverIntoAnother()
    {
        final int length = 320;
        final KvBlockAllocator allocator = pool(2 * length + 1, EvictionPolicy.LRU);
        final long[][] prompts = new long[2][length];
        for (int prompt = 0; prompt < 2; prompt++)
        {
            for (int i = 0; i < length; i++)
            {
                prompts[prompt][i] = 1 + i + 1000L * prompt;
            }
            final long[] parents = new long[length];
            System.arraycopy(prompts[prompt], 0, parents, 1, length - 1);
            allocator.registerBlockHashes(allocate(allocator, length), prompts[prompt], parents);
        }
        for (int place = 1; place < length; place++)
        {
            final long[] spliced = prompts[0].clone();
            System.arraycopy(prompts[1], place, spliced, place, length - place);
            assertEquals(place, allocator.longestMatch(spliced, 0, length, new int[length], 0), "goes over at " + place);
        }
        assertEquals(length, allocator.longestMatch(prompts[1], 0, length, new int[length], 0));
    }

    @Test
    void shouldWorkWithTheSmallestAndTheLargestPool()
    {
        final KvBlockAllocator smallest = pool(2, EvictionPolicy.LRU);
        assertArrayEquals(new int[]{0}, allocate(smallest, 1));
        assertFalse(smallest.isMemoryAvailable(1));

        final KvBlockAllocator largest = pool(KvBlockConfig.MAX_POOL_SIZE, EvictionPolicy.LRU);
        final int[] blocks = allocate(largest, 2);
        assertEquals(KvBlockConfig.MAX_POOL_SIZE - 2, blocks[1]);
        largest.registerBlockHashes(blocks, hashes(Long.MAX_VALUE, 1), hashes(0, Long.MAX_VALUE));
        release(largest, blocks);
        assertEquals(2, largest.evictableCount());
        assertEquals(2, largest.longestMatch(hashes(Long.MAX_VALUE, 1), 0, 2, new int[2], 0));
        assertTrue(largest.evictLru(1));
        assertEquals(KvBlockAllocator.NO_BLOCK, largest.find(1));
    }

    /** Block tables of requests. */
    private record Rows(int pausedRequests, int[]... blocks) implements RequestBlockTable
    {
        @Override
        public int totalRequests()
        {
            return blocks.length;
        }

        @Override
        public int blockCount(final int row)
        {
            return blocks[row].length;
        }

        @Override
        public int blockId(final int row, final int index)
        {
            return blocks[row][index];
        }
    }
}
