// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance.megatron;

import io.signalbox.experts.ModelShape;

/**
 * The routed-expert rows of paged requests. A request refers to the rows of each of its blocks from the moment it gets
 * the block until it is evicted or recycled. The original instead reads the rows of a finished request from its blocks,
 * which it may have handed out again.
 */
final class PagedRows
{
    private final MegatronRouting routing;
    private final int blockSizeTokens;

    PagedRows(final ModelShape shape, final PagingConfig config)
    {
        blockSizeTokens = config.blockSizeTokens();
        routing = new MegatronRouting(shape, config.blocks().poolSize(), blockSizeTokens);
    }

    /** The rows of each block, which it loses when it is handed out again. */
    MegatronRouting routing()
    {
        return routing;
    }

    /** The request shares blocks of others, as entries {@code [first, first + count)} of its table. */
    void matched(final PagedRequest request, final int first, final int count)
    {
        for (int i = first; i < first + count; i++)
        {
            request.rowsOfEntry(i, routing.rows(request.blockTable[i]));
        }
    }

    /** The request got unshared blocks; one that replaces a block that only rejected tokens had reached gets its rows. */
    void allocated(final PagedRequest request, final int first, final int count)
    {
        for (int i = first; i < first + count; i++)
        {
            if (i == request.entriesWithRows())
            {
                request.rowsOfEntry(i, new int[blockSizeTokens][]);
            }
            routing.rows(request.blockTable[i], request.rowsOfEntry(i));
        }
    }

    /** Stores the rows of the tokens that the request fed in this step, except those of rejected tokens. */
    void store(final PagedRequest request, final int[][] rowsOfStep)
    {
        // Verification moved the offset back by the rejected tokens; the first token fed keeps its place.
        final int start = request.kvOffset + request.rejectedTokens;
        for (int position = start; position < request.kvOffset + request.queryTokens; position++)
        {
            request.rowsOfEntry(position / blockSizeTokens)[position % blockSizeTokens] =
                rowsOfStep[request.layoutStart + position - start];
        }
    }
}
