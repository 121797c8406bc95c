// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import io.signalbox.kv.EvictionPolicy;
import io.signalbox.kv.KvBlockAllocator;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The cases of Megatron Core's TestPerBlockRouting: block size 32, 4 layers, top-2, int16. */
class PerBlockRoutingTest
{
    private static final int BLOCK_SIZE = 32;
    private static final ModelShape SHAPE = new ModelShape(4, 512, 2);

    private static RoutedBlocks blocks(final EvictionPolicy eviction, final boolean prefixCaching)
    {
        return new RoutedBlocks(12, eviction, prefixCaching, SHAPE, BLOCK_SIZE);
    }

    private static int[][] rows(final int first, final int count)
    {
        return IntStream.range(first, first + count).mapToObj(i -> ExpertRows.distinct(SHAPE, i)).toArray(int[][]::new);
    }

    private static int[] flat(final int[][] rows)
    {
        return Arrays.stream(rows).flatMapToInt(Arrays::stream).toArray();
    }

    private static int[] part(final int[] ids, final int fromRow, final int toRow)
    {
        return Arrays.copyOfRange(ids, fromRow * SHAPE.rowIds(), toRow * SHAPE.rowIds());
    }

    @Test
    void shouldReadBackWhatWasStoredInABlock()
    {
        final RoutedBlocks blocks = blocks(EvictionPolicy.REF_ZERO, true);
        final int blockId = blocks.allocate(1)[0];
        blocks.store(blockId, rows(7, 3));
        final int[] read = blocks.routing(blockId);
        assertEquals(BLOCK_SIZE * SHAPE.rowIds(), read.length);
        assertArrayEquals(flat(rows(7, 3)), part(read, 0, 3));
        for (final int id : part(read, 3, BLOCK_SIZE))
        {
            assertEquals(RoutedExpertPages.MISSING, id);
        }
    }

    @Test
    void shouldKeepRoutingOverReleaseAndClearItWhenTheBlockIsHandedOut()
    {
        final RoutedBlocks blocks = blocks(EvictionPolicy.REF_ZERO, false);
        final int blockId = blocks.allocate(1)[0];
        blocks.store(blockId, rows(1, 1));
        blocks.release(blockId);
        assertNotNull(blocks.routing(blockId));
        assertEquals(blockId, blocks.allocate(1)[0]);
        assertNull(blocks.routing(blockId));
        assertEquals(0, blocks.pages.livePages());
    }

    @Test
    void shouldClearRoutingOnReset()
    {
        final RoutedBlocks blocks = blocks(EvictionPolicy.REF_ZERO, true);
        final int blockId = blocks.allocate(1)[0];
        blocks.store(blockId, rows(1, 1));
        assertTrue(blocks.blockPages.hasRouting(blockId));
        blocks.reset();
        assertNull(blocks.routing(blockId));
        assertEquals(0, blocks.pages.livePages());
        assertEquals(0, blocks.pages.digest());
    }

    @Test
    void shouldKeepRoutingWhenBlocksAreDeregistered()
    {
        final RoutedBlocks blocks = blocks(EvictionPolicy.REF_ZERO, true);
        final int[] blockIds = blocks.allocate(2);
        blocks.allocator.registerBlockHashes(blockIds, new long[]{11, 22}, new long[]{0, 11});
        blocks.store(blockIds[0], rows(0, BLOCK_SIZE));
        blocks.store(blockIds[1], rows(100, BLOCK_SIZE));
        blocks.release(blockIds);
        assertEquals(KvBlockAllocator.NO_BLOCK, blocks.allocator.find(11));
        assertArrayEquals(flat(rows(0, BLOCK_SIZE)), blocks.routing(blockIds[0]));
        assertArrayEquals(flat(rows(100, BLOCK_SIZE)), blocks.routing(blockIds[1]));
    }

    @Test
    void shouldReconstructTwoFullBlocksAndPartOfAThird()
    {
        final RoutedBlocks blocks = blocks(EvictionPolicy.REF_ZERO, true);
        final int[] blockIds = blocks.allocate(3);
        blocks.store(blockIds[0], rows(0, BLOCK_SIZE));
        blocks.store(blockIds[1], rows(BLOCK_SIZE, BLOCK_SIZE));
        blocks.store(blockIds[2], rows(2 * BLOCK_SIZE, 5));
        final int[] read = blocks.reconstruct(69, blockIds);
        assertEquals(69 * SHAPE.rowIds(), read.length);
        assertArrayEquals(flat(rows(0, 69)), read);
    }

    @Test
    void shouldReconstructNothingIfABlockHasNoRouting()
    {
        final RoutedBlocks blocks = blocks(EvictionPolicy.REF_ZERO, true);
        final int[] blockIds = blocks.allocate(2);
        blocks.store(blockIds[0], rows(0, BLOCK_SIZE));
        assertNull(blocks.reconstruct(64, blockIds));
        // Looked up before the walk notices that it has enough.
        assertNull(blocks.reconstruct(BLOCK_SIZE, blockIds));
        assertNotNull(blocks.reconstruct(BLOCK_SIZE, blockIds[0]));
        assertNotNull(blocks.reconstruct(BLOCK_SIZE, blockIds[0], blockIds[0], blockIds[1]));
    }

    @Test
    void shouldKeepRoutingOfCachedBlocksForAPrefixMatch()
    {
        final RoutedBlocks blocks = blocks(EvictionPolicy.LRU, true);
        final int[] blockIds = blocks.allocate(2);
        blocks.allocator.registerBlockHashes(blockIds, new long[]{11, 22}, new long[]{0, 11});
        blocks.store(blockIds[0], rows(0, BLOCK_SIZE));
        blocks.store(blockIds[1], rows(BLOCK_SIZE, BLOCK_SIZE));
        blocks.release(blockIds);
        assertEquals(2, blocks.allocator.longestMatch(new long[]{11, 22}, 0, 2, new int[2], 0));
        blocks.allocator.retain(blockIds, 0, 2);
        assertArrayEquals(flat(rows(0, 2 * BLOCK_SIZE)), blocks.reconstruct(2 * BLOCK_SIZE, blockIds));
    }
}
