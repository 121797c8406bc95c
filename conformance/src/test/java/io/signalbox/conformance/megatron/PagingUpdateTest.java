// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance.megatron;

import io.signalbox.kv.EvictionPolicy;
import io.signalbox.kv.KvBlockAllocator;
import io.signalbox.kv.KvBlockConfig;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Pause, resume and eviction on rows that are set up by hand: cases that Megatron Core's own tests of its dynamic context
 * set up in the same way.
 */
class PagingUpdateTest
{
    private static final int BLOCK_SIZE = 4;
    private static final int AT_BOUNDARY = BLOCK_SIZE - 1;

    private KvBlockPool allocator;
    private RequestRowTable rows;
    private PagingUpdate update;

    private void pool(final KvBlockConfig blocks)
    {
        pool(blocks, 64);
    }

    private void pool(final KvBlockConfig blocks, final int maxTokens)
    {
        final PagingConfig config = new PagingConfig(blocks, BLOCK_SIZE, 16, maxTokens, 0, false);
        allocator = new ContractKvBlocks(blocks, null);
        rows = new RequestRowTable(config.maxRequests());
        update = new PagingUpdate(config, allocator, null, rows);
    }

    private int[] allocated(final int count)
    {
        final int[] blocks = new int[count];
        assertEquals(true, allocator.allocate(count, blocks, 0));
        return blocks;
    }

    private PagedRequest row(final long id, final int lastOffset, final int... blocks)
    {
        final PagedRequest request = new PagedRequest(0).reset(id, 100, 100, PagedRequest.NO_STOP_TOKEN, 0);
        request.ensureBlocks(blocks.length);
        System.arraycopy(blocks, 0, request.blockTable, 0, blocks.length);
        request.blockCount = blocks.length;
        request.lastOffset = lastOffset;
        rows.add(request);
        return request;
    }

    private List<Long> ids()
    {
        final List<Long> ids = new ArrayList<>();
        for (int row = 0; row < rows.totalRequests(); row++)
        {
            ids.add(rows.request(row).id());
        }
        return ids;
    }

    private List<Integer> blockCounts()
    {
        final List<Integer> counts = new ArrayList<>();
        for (int row = 0; row < rows.totalRequests(); row++)
        {
            counts.add(rows.blockCount(row));
        }
        return counts;
    }

    private static List<Long> ids(final RequestList list)
    {
        final List<Long> ids = new ArrayList<>();
        for (int i = 0; i < list.size(); i++)
        {
            ids.add(list.get(i).id());
        }
        return ids;
    }

    @Test
    void shouldResumeFromTheRightAsFarAsBlocksAllow()
    {
        pool(KvBlockConfig.of(5).withPausedLimit(3));
        final int[] blocks = allocated(3);
        row(10, AT_BOUNDARY, blocks[0]);
        row(11, AT_BOUNDARY, blocks[1]);
        row(12, 0, blocks[2]);
        rows.pause(3);
        // Needs from the right: 0, 1, 1; one block is left.
        update.apply();
        assertEquals(List.of(10L, 11L, 12L), ids());
        assertEquals(1, rows.pausedRequests());
        assertEquals(List.of(1, 2, 1), blockCounts());
        assertEquals(0, allocator.totalAvailable());
    }

    @Test
    void shouldResumeWithEveryBlockOfThePoolWhateverThePausedLimit()
    {
        pool(KvBlockConfig.of(5).withPausedLimit(3));
        final int[] blocks = allocated(2);
        row(0, AT_BOUNDARY, blocks[0]);
        row(1, AT_BOUNDARY, blocks[1]);
        rows.pause(2);
        update.apply();
        assertEquals(0, rows.pausedRequests());
        assertEquals(List.of(2, 2), blockCounts());
        assertEquals(0, allocator.totalAvailable());
    }

    @Test
    void shouldEvictTheOneCachedBlockToResumeWithAnEmptyPool()
    {
        pool(KvBlockConfig.of(3).withPausedLimit(1).withPrefixCaching(EvictionPolicy.LRU));
        final int[] blocks = allocated(2);
        allocator.register(blocks[1], 77, KvBlockAllocator.NO_HASH, 0);
        allocator.release(blocks, 1, 1);
        assertEquals(0, allocator.totalAvailable());
        row(0, AT_BOUNDARY, blocks[0]);
        rows.pause(1);
        update.apply();
        assertEquals(0, rows.pausedRequests());
        assertEquals(blocks[1], rows.blockId(0, 1));
        assertEquals(KvBlockAllocator.NO_BLOCK, allocator.find(77));
    }

    @Test
    void shouldEvictNoMoreThanTheOthersNeedToResume()
    {
        pool(KvBlockConfig.of(9).withPausedLimit(2));
        for (int i = 0; i < 4; i++)
        {
            row(10 + i, AT_BOUNDARY, allocated(2));
        }
        update.apply();
        assertEquals(List.of(13L), ids(update.evicted));
        assertEquals(List.of(10L, 11L, 12L), ids());
        assertEquals(1, rows.pausedRequests());
        assertEquals(List.of(2, 3, 3), blockCounts());
    }

    @Test
    void shouldEvictEveryRequestWhenNothingMayStayPaused()
    {
        pool(KvBlockConfig.of(2));
        row(7, AT_BOUNDARY, allocated(1));
        update.apply();
        assertEquals(List.of(7L), ids(update.evicted));
        assertEquals(0, rows.totalRequests());
        assertEquals(1, allocator.totalAvailable());
    }

    @Test
    void shouldKeepPausedRowsWithinTheLimit()
    {
        pool(KvBlockConfig.of(4).withPausedLimit(2));
        final int[] blocks = allocated(3);
        row(0, AT_BOUNDARY, blocks[0], blocks[1]);
        row(1, 0, blocks[2]);
        update.apply();
        assertEquals(List.of(), ids(update.evicted));
        assertEquals(List.of(0L), ids(update.newlyPaused));
        assertEquals(1, rows.pausedRequests());
    }

    @Test
    void shouldCountSharedBlocksOnceAgainstTheLimit()
    {
        pool(KvBlockConfig.of(5).withPausedLimit(3).withPrefixCaching(EvictionPolicy.REF_ZERO));
        final int[] blocks = allocated(4);
        share(blocks[0], 1);
        row(0, AT_BOUNDARY, blocks[0], blocks[1]);
        row(1, AT_BOUNDARY, blocks[0], blocks[2]);
        row(2, 0, blocks[3]);
        update.apply();
        assertEquals(List.of(), ids(update.evicted));
        assertEquals(2, rows.pausedRequests());
    }

    /** Releasable by suffix length: 0, 1, 2, 3. */
    @Test
    void shouldReleaseStaggeredSharedPrefixesOneBlockARow()
    {
        pool(KvBlockConfig.of(4).withPrefixCaching(EvictionPolicy.REF_ZERO));
        final int[] blocks = allocated(3);
        share(blocks[0], 2);
        share(blocks[1], 1);
        row(0, AT_BOUNDARY, blocks[0]);
        row(1, AT_BOUNDARY, blocks[0], blocks[1]);
        row(2, AT_BOUNDARY, blocks[0], blocks[1], blocks[2]);
        update.apply();
        // One row frees one block, and two rows need two; two rows free two, and the last needs one.
        assertEquals(List.of(1L, 2L), ids(update.evicted));
        assertEquals(List.of(0L), ids());
        assertEquals(List.of(2), blockCounts());
        assertEquals(1, allocator.refCount(blocks[0]));
    }

    /** Releasable by suffix length: 0, 0, 2. */
    @Test
    void shouldCountSharedBlocksAsReleasedOnlyWithTheLastReference()
    {
        pool(KvBlockConfig.of(5).withPausedLimit(2).withPrefixCaching(EvictionPolicy.REF_ZERO));
        final int[] shared = allocated(2);
        final int[] own = allocated(2);
        share(shared[0], 1);
        share(shared[1], 1);
        row(0, AT_BOUNDARY, own);
        row(1, AT_BOUNDARY, shared);
        row(2, AT_BOUNDARY, shared);
        update.apply();
        // The last row alone frees nothing; both free two blocks, one of which lets the row within the limit resume.
        assertEquals(List.of(1L, 2L), ids(update.evicted));
        assertEquals(List.of(0L), ids());
        assertEquals(0, rows.pausedRequests());
        assertEquals(List.of(3), blockCounts());
        assertEquals(1, allocator.totalAvailable());
    }

    @Test
    void shouldLowerTheReferencesOfBlocksThatOthersKeep()
    {
        pool(KvBlockConfig.of(4).withPrefixCaching(EvictionPolicy.REF_ZERO));
        final int[] blocks = allocated(3);
        share(blocks[0], 1);
        row(0, 0, blocks[0], blocks[1]);
        row(1, AT_BOUNDARY, blocks[0], blocks[2]);
        assertEquals(2, allocator.refCount(blocks[0]));
        update.apply();
        assertEquals(List.of(1L), ids(update.evicted));
        assertEquals(1, allocator.refCount(blocks[0]));
        assertEquals(List.of(0L), ids());
    }

    /** Fewer evicted than active: the evicted rows change places with the rightmost active ones. */
    @Test
    void shouldMoveTheRightmostActiveRowsIntoThePlacesOfEvictedOnes()
    {
        pool(KvBlockConfig.of(5));
        final int[] blocks = allocated(4);
        row(0, 0, blocks[0]);
        row(1, AT_BOUNDARY, blocks[1]);
        row(2, 0, blocks[2]);
        row(3, 0, blocks[3]);
        update.apply();
        // Pausing has put row 1 to the left, in front of the active rows 0, 2 and 3.
        assertEquals(List.of(1L), ids(update.evicted));
        assertEquals(List.of(3L, 0L, 2L), ids());
    }

    /** More evicted than active: the active rows move to the places of the first evicted ones. */
    @Test
    void shouldMoveAllActiveRowsWhereMoreAreEvicted()
    {
        pool(KvBlockConfig.of(4).withPrefixCaching(EvictionPolicy.REF_ZERO));
        final int[] blocks = allocated(3);
        share(blocks[0], 1);
        row(0, AT_BOUNDARY, blocks[0]);
        row(1, AT_BOUNDARY, blocks[0]);
        row(2, 0, blocks[1], blocks[2]);
        update.apply();
        assertEquals(List.of(0L, 1L), ids(update.evicted));
        assertEquals(List.of(2L), ids());
        assertEquals(0, rows.pausedRequests());
    }

    /** The paused limit is no reason to evict a row that blocks are there for, and that only the token budget holds up. */
    @Test
    void shouldNotEvictARowThatOnlyWaitsForItsPlaceInAStep()
    {
        pool(KvBlockConfig.of(7), 2);
        row(0, AT_BOUNDARY, allocated(1));
        row(1, AT_BOUNDARY, allocated(1));
        row(2, AT_BOUNDARY, allocated(1));
        update.apply();
        assertEquals(List.of(), ids(update.evicted));
        assertEquals(List.of(0L, 1L, 2L), ids());
        assertEquals(1, rows.pausedRequests());
        assertEquals(1, allocator.totalAvailable());
    }

    private void share(final int block, final int times)
    {
        for (int i = 0; i < times; i++)
        {
            allocator.retain(new int[]{block}, 0, 1);
        }
    }
}
