// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import io.signalbox.kv.EvictionPolicy;
import io.signalbox.kv.KvBlockAllocator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.Arrays;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

/** The cases of Megatron Core's TestPerBlockRouting, under both row policies: block size 32, 4 layers, top-2, int16. */
class PerBlockRoutingTest
{
    private static final int BLOCK_SIZE = 32;
    private static final ModelShape SHAPE = new ModelShape(4, 512, 2);

    private static RoutedBlocks blocks(
        final EvictionPolicy eviction, final boolean prefixCaching, final RowPolicy policy)
    {
        return new RoutedBlocks(12, eviction, prefixCaching, SHAPE, BLOCK_SIZE, policy);
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

    @ParameterizedTest
    @EnumSource
    void shouldReadBackWhatWasStoredInABlock(final RowPolicy policy)
    {
        final RoutedBlocks blocks = blocks(EvictionPolicy.REF_ZERO, true, policy);
        final int blockId = blocks.allocate(1)[0];
        blocks.store(blockId, rows(7, 3));
        final int[] read = blocks.routing(blockId);
        assertEquals(BLOCK_SIZE * SHAPE.rowIds(), read.length);
        assertArrayEquals(flat(rows(7, 3)), part(read, 0, 3));
        final int unwritten = policy == RowPolicy.REFERENCE ? 0 : RoutedExpertPages.MISSING;
        for (final int id : part(read, 3, BLOCK_SIZE))
        {
            assertEquals(unwritten, id);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldKeepRoutingOverReleaseAndClearItWhenTheBlockIsHandedOut(final RowPolicy policy)
    {
        final RoutedBlocks blocks = blocks(EvictionPolicy.REF_ZERO, false, policy);
        final int blockId = blocks.allocate(1)[0];
        blocks.store(blockId, rows(1, 1));
        blocks.release(blockId);
        assertNotNull(blocks.routing(blockId));
        assertEquals(blockId, blocks.allocate(1)[0]);
        assertNull(blocks.routing(blockId));
        assertEquals(0, blocks.pages.livePages());
    }

    @ParameterizedTest
    @EnumSource
    void shouldClearRoutingOnReset(final RowPolicy policy)
    {
        final RoutedBlocks blocks = blocks(EvictionPolicy.REF_ZERO, true, policy);
        final int blockId = blocks.allocate(1)[0];
        blocks.store(blockId, rows(1, 1));
        assertEquals(1, blocks.blockPages.routingCount());
        blocks.reset();
        assertNull(blocks.routing(blockId));
        assertEquals(0, blocks.blockPages.routingCount());
        assertEquals(0, blocks.pages.digest());
    }

    @ParameterizedTest
    @EnumSource
    void shouldKeepRoutingWhenBlocksAreDeregistered(final RowPolicy policy)
    {
        final RoutedBlocks blocks = blocks(EvictionPolicy.REF_ZERO, true, policy);
        final int[] blockIds = blocks.allocate(2);
        blocks.allocator.registerBlockHashes(blockIds, new long[]{11, 22}, new long[]{0, 11});
        blocks.store(blockIds[0], rows(0, BLOCK_SIZE));
        blocks.store(blockIds[1], rows(100, BLOCK_SIZE));
        blocks.release(blockIds);
        assertEquals(KvBlockAllocator.NO_BLOCK, blocks.allocator.find(11));
        assertArrayEquals(flat(rows(0, BLOCK_SIZE)), blocks.routing(blockIds[0]));
        assertArrayEquals(flat(rows(100, BLOCK_SIZE)), blocks.routing(blockIds[1]));
    }

    @ParameterizedTest
    @EnumSource
    void shouldReconstructTwoFullBlocksAndPartOfAThird(final RowPolicy policy)
    {
        final RoutedBlocks blocks = blocks(EvictionPolicy.REF_ZERO, true, policy);
        final int[] blockIds = blocks.allocate(3);
        blocks.store(blockIds[0], rows(0, BLOCK_SIZE));
        blocks.store(blockIds[1], rows(BLOCK_SIZE, BLOCK_SIZE));
        blocks.store(blockIds[2], rows(2 * BLOCK_SIZE, 5));
        final int[] read = blocks.reconstruct(69, blockIds);
        assertEquals(69 * SHAPE.rowIds(), read.length);
        assertArrayEquals(flat(rows(0, 69)), read);
    }

    @ParameterizedTest
    @EnumSource
    void shouldReconstructNothingWhereABlockHasNoRouting(final RowPolicy policy)
    {
        final RoutedBlocks blocks = blocks(EvictionPolicy.REF_ZERO, true, policy);
        final int[] blockIds = blocks.allocate(2);
        blocks.store(blockIds[0], rows(0, BLOCK_SIZE));
        assertNull(blocks.reconstruct(64, blockIds));
        // Looked up before the walk notices that it has enough.
        assertNull(blocks.reconstruct(BLOCK_SIZE, blockIds));
        assertNotNull(blocks.reconstruct(BLOCK_SIZE, blockIds[0]));
        assertNotNull(blocks.reconstruct(BLOCK_SIZE, blockIds[0], blockIds[0], blockIds[1]));
    }

    @ParameterizedTest
    @EnumSource
    void shouldKeepRoutingOfCachedBlocksForAPrefixMatch(final RowPolicy policy)
    {
        final RoutedBlocks blocks = blocks(EvictionPolicy.LRU, true, policy);
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
