// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import io.signalbox.kv.KvBlockException.Reason;
import org.junit.jupiter.api.Test;

import static io.signalbox.kv.Blocks.allocate;
import static io.signalbox.kv.Blocks.hashes;
import static io.signalbox.kv.Blocks.places;
import static io.signalbox.kv.Blocks.release;
import static io.signalbox.kv.Blocks.use;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Eviction takes the oldest leaf: the cases of Megatron Core's own tests. */
class BlockEvictionTest
{
    private static KvBlockAllocator pool()
    {
        return new KvBlockAllocator(KvBlockConfig.of(10).withPrefixCaching(EvictionPolicy.LRU));
    }

    /** Blocks 0 → 1 → 2 under hashes 10, 20, 30, without owners. */
    private static int[] chain(final KvBlockAllocator allocator, final long... times)
    {
        final int[] blocks = allocate(allocator, 3);
        allocator.registerBlockHashes(blocks, hashes(10, 20, 30), hashes(0, 10, 20));
        use(allocator, blocks, times);
        release(allocator, blocks);
        return blocks;
    }

    @Test
    void shouldPeelAChainFromItsEndWhateverTheTimes()
    {
        final KvBlockAllocator allocator = pool();
        final int[] blocks = chain(allocator, 1, 1, 5);
        assertTrue(allocator.evictLru(1));
        assertArrayEquals(new int[]{0, 1, -1}, places(allocator, blocks, 10, 20, 30));
        assertEquals(0, allocator.childCount(blocks[1]));
        assertEquals(KvBlockAllocator.NO_HASH, allocator.blockHash(blocks[2]));
        assertTrue(allocator.evictLru(1));
        assertArrayEquals(new int[]{0, -1, -1}, places(allocator, blocks, 10, 20, 30));
    }

    @Test
    void shouldTakeTheEndOfAChainThatIsItsOldestBlock()
    {
        final KvBlockAllocator allocator = pool();
        final int[] blocks = chain(allocator, 9, 9, 3);
        assertTrue(allocator.evictLru(1));
        assertArrayEquals(new int[]{0, 1, -1}, places(allocator, blocks, 10, 20, 30));
    }

    @Test
    void shouldTakeTheOlderBranchFirst()
    {
        final KvBlockAllocator allocator = pool();
        final int[] blocks = allocate(allocator, 3);
        allocator.registerBlockHashes(blocks, hashes(10, 20, 30), hashes(0, 10, 10));
        use(allocator, blocks, 1, 2, 8);
        release(allocator, blocks);
        assertTrue(allocator.evictLru(1));
        assertArrayEquals(new int[]{0, -1, 2}, places(allocator, blocks, 10, 20, 30));
        assertTrue(allocator.evictLru(1));
        assertArrayEquals(new int[]{0, -1, -1}, places(allocator, blocks, 10, 20, 30));
    }

    @Test
    void shouldTakeSeveralInOneCall()
    {
        final KvBlockAllocator allocator = pool();
        final int[] blocks = chain(allocator, 1, 2, 3);
        assertTrue(allocator.evictLru(2));
        assertArrayEquals(new int[]{0, -1, -1}, places(allocator, blocks, 10, 20, 30));
        assertEquals(blocks[1], allocator.freeBlock(allocator.totalAvailable() - 1), "the last evicted is on top");
    }

    @Test
    void shouldChangeNothingWhenFewerBlocksAreCached()
    {
        final KvBlockAllocator allocator = pool();
        final int[] blocks = allocate(allocator, 2);
        allocator.registerBlockHashes(blocks, hashes(10, 20), hashes(0, 10));
        release(allocator, blocks);
        assertFalse(allocator.evictLru(3));
        assertArrayEquals(new int[]{0, 1}, places(allocator, blocks, 10, 20));
        assertTrue(allocator.evictLru(0));
        assertEquals(2, allocator.evictableCount());
    }

    @Test
    void shouldKeepAParentThatHasAnOwner()
    {
        final KvBlockAllocator allocator = pool();
        final int[] blocks = allocate(allocator, 3);
        allocator.registerBlockHashes(blocks, hashes(10, 20, 30), hashes(0, 10, 0));
        use(allocator, blocks, 0, 1, 9);
        release(allocator, blocks[1], blocks[2]);
        assertEquals(2, allocator.evictableCount());
        assertTrue(allocator.evictLru(1));
        assertArrayEquals(new int[]{0, -1, 2}, places(allocator, blocks, 10, 20, 30));
        assertTrue(allocator.evictLru(1));
        assertArrayEquals(new int[]{0, -1, -1}, places(allocator, blocks, 10, 20, 30));
        assertFalse(allocator.evictLru(1));
        assertEquals(1, allocator.refCount(blocks[0]));
    }

    @Test
    void shouldKeepTheHottestLeafWithAllItBuildsUpon()
    {
        final KvBlockAllocator allocator = pool();
        final int[] blocks = allocate(allocator, 6);
        // A(1) → B(2) → {C(5), F(3)}, A → D(3) → E(5): F goes, then C before E by its id, and then B, now the oldest leaf.
        allocator.registerBlockHashes(blocks, hashes(10, 20, 30, 40, 50, 60), hashes(0, 10, 20, 20, 10, 50));
        use(allocator, blocks, 1, 2, 5, 3, 3, 5);
        release(allocator, blocks);
        assertTrue(allocator.evictLru(3));
        assertArrayEquals(new int[]{0, -1, -1, -1, 4, 5}, places(allocator, blocks, 10, 20, 30, 40, 50, 60));
    }

    @Test
    void shouldCountARepeatedRegistrationOnce()
    {
        final KvBlockAllocator allocator = pool();
        final int[] blocks = allocate(allocator, 4);
        allocator.registerBlockHashes(new int[]{blocks[0], blocks[1]}, hashes(10, 20), hashes(0, 10));
        allocator.registerBlockHashes(new int[]{blocks[1]}, hashes(20), hashes(10));
        assertEquals(1, allocator.childCount(blocks[0]));
        assertEquals(0, allocator.childCount(blocks[1]));
        allocator.registerBlockHashes(new int[]{blocks[1], blocks[2], blocks[3]}, hashes(20, 30, 40), hashes(10, 20, 30));
        assertEquals(blocks[1], allocator.parent(blocks[2]));
        assertEquals(blocks[2], allocator.parent(blocks[3]));
        assertEquals(1, allocator.childCount(blocks[2]));
        assertEquals(0, allocator.childCount(blocks[3]));
        release(allocator, blocks);
        assertTrue(allocator.evictLru(4));
        assertEquals(0, allocator.hashCount());
    }

    @Test
    void shouldRefuseAnotherHashForARegisteredBlockUntilItIsEvicted()
    {
        final KvBlockAllocator allocator = pool();
        final int[] blocks = allocate(allocator, 2);
        allocator.registerBlockHashes(blocks, hashes(10, 20), hashes(0, 10));
        final KvBlockException refused = assertThrows(KvBlockException.class,
            () -> allocator.registerBlockHashes(new int[]{blocks[1]}, hashes(99), hashes(10)));
        assertEquals(Reason.OTHER_HASH, refused.reason());
        assertArrayEquals(new int[]{blocks[1]}, refused.blockIds());
        release(allocator, blocks);
        assertTrue(allocator.evictLru(1));
        assertArrayEquals(new int[]{blocks[1]}, allocate(allocator, 1));
        allocator.registerBlockHashes(new int[]{blocks[1]}, hashes(99), hashes(10));
        assertArrayEquals(new int[]{0, 1}, places(allocator, blocks, 10, 99));
        assertEquals(1, allocator.childCount(blocks[0]));
    }

    @Test
    void shouldRefuseBlocksThatBuildUponEachOtherInACircle()
    {
        final KvBlockAllocator allocator = pool();
        final int[] blocks = allocate(allocator, 2);
        final KvBlockException refused = assertThrows(KvBlockException.class,
            () -> allocator.registerBlockHashes(blocks, hashes(10, 20), hashes(20, 10)));
        assertEquals(Reason.PARENT_AFTER_CHILD, refused.reason());
        assertEquals(0, allocator.hashCount());
    }

    @Test
    void shouldTakeBackEverythingOfAListThatIsRefused()
    {
        final KvBlockAllocator allocator = pool();
        final int[] cached = chain(allocator, 1, 2, 3);
        final int[] blocks = allocate(allocator, 3);
        final long digest = allocator.prefixIndexDigest();
        for (final int parent : new int[]{20, 30})
        {
            assertThrows(KvBlockException.class, () -> allocator.registerBlockHashes(
                new int[]{blocks[0], blocks[1], blocks[0]}, hashes(50, 60, 70), hashes(parent, 50, 60)));
            assertThrows(KvBlockException.class,
                () -> allocator.registerBlockHashes(blocks, hashes(50, 60, 70), hashes(parent, 70, 0)));
            assertEquals(digest, allocator.prefixIndexDigest());
            assertEquals(3, allocator.evictableCount());
            assertEquals(0, allocator.childCount(cached[2]));
        }
        assertTrue(allocator.evictLru(3));
    }

    /** A cached block whose child has an owner: the original counts it as evictable and then finds no leaf. */
    @Test
    void shouldNotPromiseACachedParentOfAnOwnedBlock()
    {
        final KvBlockAllocator allocator = pool();
        final int[] blocks = allocate(allocator, 9);
        allocator.registerBlockHashes(new int[]{blocks[0], blocks[1], blocks[2]}, hashes(10, 20, 30), hashes(0, 10, 20));
        release(allocator, blocks[0], blocks[1]);
        assertEquals(0, allocator.evictableCount());
        assertFalse(allocator.isMemoryAvailable(1));
        assertFalse(allocator.allocate(1, new int[1], 0));
        release(allocator, blocks[2]);
        assertEquals(3, allocator.evictableCount());
        allocate(allocator, 3);
    }

    @Test
    void shouldLoseEveryReferenceOfABlockThatIsNamedTwice()
    {
        final KvBlockAllocator allocator = pool();
        final int block = allocate(allocator, 1)[0];
        Blocks.retain(allocator, block);
        release(allocator, block, block);
        assertEquals(0, allocator.refCount(block));
    }
}
