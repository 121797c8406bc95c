// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import io.signalbox.kv.EvictionPolicy;
import io.signalbox.kv.KvBlockAllocator;
import io.signalbox.kv.KvBlockConfig;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** An allocator that reports allocations and resets to the block pages, for tests of rows. */
final class RoutedBlocks
{
    final KvBlockAllocator allocator;
    final RoutedExpertPages pages;
    final BlockPages blockPages;

    RoutedBlocks(
        final int blockCount,
        final EvictionPolicy eviction,
        final boolean prefixCaching,
        final ModelShape shape,
        final int blockSize)
    {
        pages = new RoutedExpertPages(shape, blockSize);
        blockPages = new BlockPages(pages, blockCount);
        final KvBlockConfig config = KvBlockConfig.of(blockCount);
        allocator = new KvBlockAllocator(prefixCaching ? config.withPrefixCaching(eviction) : config, blockPages);
    }

    int[] allocate(final int count)
    {
        final int[] blockIds = new int[count];
        assertTrue(allocator.allocate(count, blockIds, 0));
        return blockIds;
    }

    void release(final int... blockIds)
    {
        allocator.release(blockIds, 0, blockIds.length);
    }

    void reset()
    {
        allocator.reset();
    }

    /** Stores rows at the first positions of the block. */
    void store(final int blockId, final int[]... rows)
    {
        final int[] positions = new int[rows.length];
        Arrays.setAll(positions, i -> i);
        blockPages.storeBlockRouting(
            blockId, positions, rows.length, ExpertRows.captured(rows, ExpertIdType.INT16, false));
    }

    /** Ids of all rows of the block, or null. */
    int[] routing(final int blockId)
    {
        final int ids = pages.pageRows() * pages.shape().rowIds();
        final UnsafeBuffer read = new UnsafeBuffer(new byte[ids * Short.BYTES]);
        return blockPages.getBlockRouting(blockId, ExpertIdType.INT16, read, 0) ?
            ExpertRows.read(read, 0, ids, ExpertIdType.INT16) : null;
    }

    /** Ids of the first {@code total} rows, or null. */
    int[] reconstruct(final int total, final int... blockIds)
    {
        final int ids = total * pages.shape().rowIds();
        final UnsafeBuffer read = new UnsafeBuffer(new byte[ids * Short.BYTES]);
        return blockPages.reconstructRoutingFromBlocks(
            blockIds, blockIds.length, total, ExpertIdType.INT16, read, 0) ?
            ExpertRows.read(read, 0, ids, ExpertIdType.INT16) : null;
    }
}
