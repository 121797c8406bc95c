// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance.megatron;

import io.signalbox.InvariantViolation;

import java.util.Arrays;

/**
 * Changes the rows between two steps, in the original's order: finished rows go, rows at a block boundary are
 * paused, paused ones are resumed from the right as far as blocks allow, what overflows the paused limit is evicted,
 * more are resumed, and a prompt in chunks is hidden.
 */
final class PagingUpdate
{
    private final PagingConfig config;
    private final KvBlockPool allocator;
    private final PagedRows routedExperts;
    private final RequestRowTable rows;
    private final PausedOverflow overflow;
    private int[] blocks = new int[16];

    final RequestList finished = new RequestList();
    final RequestList newlyPaused = new RequestList();
    final RequestList evicted = new RequestList();

    PagingUpdate(
        final PagingConfig config,
        final KvBlockPool allocator,
        final PagedRows routedExperts,
        final RequestRowTable rows)
    {
        this.config = config;
        this.allocator = allocator;
        this.routedExperts = routedExperts;
        this.rows = rows;
        overflow = new PausedOverflow(config, allocator, rows);
    }

    void apply()
    {
        newlyPaused.clear();
        evicted.clear();
        releaseFinished();
        closeHoles();
        pauseAtBoundary();
        resume();
        evictOverflow();
        resume();
        rows.hideChunk();
    }

    /** Fills {@link #finished}; a prompt of which a part is left never ends. */
    void findFinished()
    {
        finished.clear();
        for (int row = rows.pausedRequests(); row < rows.totalRequests(); row++)
        {
            final PagedRequest request = rows.request(row);
            if (!rows.isPartial(request) && request.isComplete())
            {
                request.finish();
                request.marked = true;
                finished.add(request);
            }
        }
    }

    /** In one call: whatever several of them share is freed once, and the pool gets them in one order. */
    private void releaseFinished()
    {
        int count = 0;
        for (int i = 0; i < finished.size(); i++)
        {
            count = collectBlocks(finished.get(i), count);
        }
        allocator.release(blocks, 0, count);
    }

    private int collectBlocks(final PagedRequest request, final int from)
    {
        final int end = from + request.blockCount;
        if (end > blocks.length)
        {
            blocks = Arrays.copyOf(blocks, Math.max(end, 2 * blocks.length));
        }
        System.arraycopy(request.blockTable, 0, blocks, from, request.blockCount);
        return end;
    }

    /** The surviving rows on the right move into the places that finished ones leave. */
    private void closeHoles()
    {
        moveToTheLeft(rows.pausedRequests(), rows.totalRequests() - finished.size(), false);
        rows.dropLast(finished.size());
        finished.unmark();
    }

    private void pauseAtBoundary()
    {
        final int start = rows.pausedRequests();
        for (int row = start; row < rows.totalRequests(); row++)
        {
            if (isToPause(row))
            {
                rows.request(row).marked = true;
                newlyPaused.add(rows.request(row));
            }
        }
        moveToTheLeft(start, start + newlyPaused.size(), true);
        newlyPaused.unmark();
        rows.pause(newlyPaused.size());
    }

    /**
     * Fills rows {@code [start, end)} with the rows from {@code start} on that are marked, or that are not. Those which
     * have a wrong place change places with those beyond, both in ascending order.
     */
    private void moveToTheLeft(final int start, final int end, final boolean marked)
    {
        int right = end;
        for (int left = start; left < end; left++)
        {
            if (rows.request(left).marked != marked)
            {
                while (rows.request(right).marked != marked)
                {
                    right++;
                }
                rows.swap(left, right++);
            }
        }
    }

    /** A chunk of a prompt is never paused; in a step of decoding alone, rows beyond the most that may be active are. */
    private boolean isToPause(final int row)
    {
        final PagedRequest request = rows.request(row);
        if (rows.isPartial(request))
        {
            return false;
        }
        final boolean chunkIsActive = rows.chunkedPrefill() != null && !rows.isChunkedPrefillHidden();
        return config.needsBlock(request) || !chunkIsActive && row - rows.pausedRequests() >= config.maxActiveRows();
    }

    private void resume()
    {
        final int count = resumableRows();
        if (count == 0)
        {
            return;
        }
        rows.resume(count);
        int needed = 0;
        for (int row = rows.pausedRequests(); row < rows.pausedRequests() + count; row++)
        {
            needed += config.needsBlock(rows.request(row)) ? 1 : 0;
        }
        giveBlocks(rows.pausedRequests(), count, needed);
        // As many of those paused in this update as were resumed, whichever they are: the original counts no further.
        newlyPaused.dropLast(count);
    }

    private int resumableRows()
    {
        final int mostRows = Math.min(rows.pausedRequests(), config.maxActiveRows() - rows.activeRows());
        final int allocatable = allocator.allocatableCount();
        int needed = 0;
        int count = 0;
        while (count < mostRows)
        {
            needed += config.needsBlock(rows.request(rows.pausedRequests() - 1 - count)) ? 1 : 0;
            if (needed > allocatable)
            {
                break;
            }
            count++;
        }
        return count;
    }

    private void giveBlocks(final int firstRow, final int count, final int needed)
    {
        blocks = needed > blocks.length ? new int[2 * needed] : blocks;
        if (!allocator.allocate(needed, blocks, 0))
        {
            throw new InvariantViolation(needed + " allocatable blocks could not be allocated");
        }
        int next = 0;
        for (int row = firstRow; row < firstRow + count; row++)
        {
            final PagedRequest request = rows.request(row);
            if (config.needsBlock(request))
            {
                request.ensureBlocks(request.blockCount + 1);
                request.blockTable[request.blockCount++] = blocks[next++];
                if (routedExperts != null)
                {
                    routedExperts.allocated(request, request.blockCount - 1, 1);
                }
            }
        }
    }

    private void evictOverflow()
    {
        final int count = overflow.rowsToEvict();
        if (count == 0)
        {
            return;
        }
        final int end = rows.pausedRequests();
        final int start = end - count;
        int collected = 0;
        for (int row = start; row < end; row++)
        {
            evicted.add(rows.request(row));
            collected = collectBlocks(rows.request(row), collected);
        }
        allocator.release(blocks, 0, collected);
        moveEvictedToTheRight(start, count);
        rows.resume(count);
        rows.dropLast(count);
    }

    /** With as few moves as possible, which decides the order of the rows that stay. */
    private void moveEvictedToTheRight(final int start, final int count)
    {
        final int moves = Math.min(count, rows.activeRows());
        for (int i = 0; i < moves; i++)
        {
            rows.swap(start + i, rows.totalRequests() - moves + i);
        }
    }
}
