// SPDX-License-Identifier: Apache-2.0
package io.signalbox.reference.megatron;

import io.signalbox.experts.BlockPages;
import io.signalbox.experts.RoutedExpertPages;
import io.signalbox.experts.RowPolicy;
import org.agrona.DirectBuffer;

/**
 * The routed-expert rows of paged requests. A request refers to the page of each of its blocks from the moment it gets
 * the block, and gives the reference back when it is recycled, not when it loses the block.
 */
final class PagedRows
{
    /** Nothing is shared across a cache reset here, because the planner has none. */
    private static final int GENERATION = 0;

    private final RoutedExpertPages pages;
    private final BlockPages blockPages;
    private final int blockSizeTokens;
    private final boolean keepsEmittedRows;

    PagedRows(final RoutedExpertPages pages, final PagingConfig config)
    {
        this.pages = pages;
        keepsEmittedRows = pages.policy() == RowPolicy.CONTRACT;
        blockSizeTokens = config.blockSizeTokens();
        blockPages = new BlockPages(pages, config.blocks().poolSize());
    }

    /** Which page each block has; it loses it when it is handed out again. */
    BlockPages blockPages()
    {
        return blockPages;
    }

    /** The request shares blocks of others, as entries {@code [first, first + count)} of its table. */
    void matched(final PagedRequest request, final int first, final int count)
    {
        for (int i = first; i < first + count; i++)
        {
            request.rows.matched(
                i, request.blockTable[i], blockPages, GENERATION, keepsEmittedRows && request.segments() > 1);
        }
    }

    /** The request got blocks. */
    void allocated(final PagedRequest request, final int first, final int count)
    {
        for (int i = first; i < first + count; i++)
        {
            request.rows.allocated(i, request.blockTable[i], blockPages, GENERATION, 0);
        }
    }

    /**
     * The request will be computed, or found in the cache, from its first token on. Its rows stay with it if the first
     * write is kept; if the last one is kept, they will all be written again.
     */
    void evicted(final PagedRequest request)
    {
        if (!keepsEmittedRows)
        {
            request.rows.clear();
        }
    }

    /**
     * Stores the rows of the tokens that the request fed in this step, but for rejected ones: with the block, whose page
     * serves those who match it later, and with the request if its own page is another one. That is so for a request
     * that was resumed on a block of others and kept its rows: what its page lacks, the token that was sampled and not
     * fed before the eviction, is computed only now. The first write is kept in each of the two; if the last one
     * is kept, an eviction clears the request's rows, and there is only one page.
     */
    void store(final PagedRequest request, final DirectBuffer source, final int offset)
    {
        final int rowBytes = pages.shape().rowBytes();
        final int end = request.kvOffset + request.queryTokens;
        int from = offset + request.layoutStart * rowBytes;
        // Verification moved the offset back by the rejected tokens; the first token fed keeps its place.
        for (int position = request.kvOffset + request.rejectedTokens; position < end; )
        {
            final int inBlock = position % blockSizeTokens;
            final int count = Math.min(blockSizeTokens - inBlock, end - position);
            final int index = position / blockSizeTokens;
            final int page = blockPages.page(request.blockTable[index]);
            pages.store(page, inBlock, count, source, from);
            if (request.rows.page(index) != page)
            {
                pages.store(request.rows.page(index), inBlock, count, source, from);
            }
            from += count * rowBytes;
            position += count;
        }
    }
}
