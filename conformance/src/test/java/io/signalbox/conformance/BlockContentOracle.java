// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance;

import java.util.List;

/**
 * The routed-expert row that was computed last for each place of each block, read off the recorded layouts alone: no
 * allocator, no pages, nothing that is ever cleared. At the end of a request, before its blocks are released, the places
 * of its blocks hold its rows, although not every one of them was computed once only, or by the request itself. A fully
 * matched prompt is computed again from its last token on, in a block that it shares, so that the row of that place is
 * the latest sharer's, of the same token at the same position, for everyone who has the block. And draft tokens that were
 * rejected leave rows behind the accepted ones, which the tokens that take their places write over. Beside each row are
 * the token and the position that it was computed for: a row of somebody else would show.
 */
final class BlockContentOracle
{
    private final RoutingPayload payload;
    private final int blockSizeTokens;
    private final int[][] rows;
    private final long[] tokens;
    private final int[] positions;

    BlockContentOracle(final int poolSize, final int blockSizeTokens, final RoutingPayload payload)
    {
        this.payload = payload;
        this.blockSizeTokens = blockSizeTokens;
        rows = new int[poolSize * blockSizeTokens][];
        tokens = new long[poolSize * blockSizeTokens];
        positions = new int[poolSize * blockSizeTokens];
    }

    /** Takes in a step by its recorded layout. */
    void computed(final TraceRecord layout, final long seed)
    {
        final int[] query = layout.integers("query");
        final int[] offsets = layout.integers("kv_offset");
        final int[] blocks = layout.integers("token_block");
        final int[] places = layout.integers("token_pos");
        final int[] ids = layout.integers("token_id");
        final int[][] computed = payload.rows(ids.length, seed);
        int token = 0;
        for (int row = 0; row < query.length; row++)
        {
            for (int i = 0; i < query[row]; i++, token++)
            {
                final int cell = blocks[token] * blockSizeTokens + places[token];
                rows[cell] = computed[token];
                tokens[cell] = ids[token];
                positions[cell] = offsets[row] + i;
            }
        }
    }

    /** The rows of a request with the given blocks; {@code known} are its tokens, of which each row must be one. */
    int[] rows(final List<?> blocks, final int count, final int[] known)
    {
        final int width = payload.shape.rowIds();
        final int[] all = new int[count * width];
        for (int position = 0; position < count; position++)
        {
            final int block = Math.toIntExact((Long)blocks.get(position / blockSizeTokens));
            final int cell = block * blockSizeTokens + position % blockSizeTokens;
            Divergence.check("position of the row computed last in block " + block, position, positions[cell]);
            Divergence.check("token of the row for position " + position, (long)known[position], tokens[cell]);
            System.arraycopy(rows[cell], 0, all, position * width, width);
        }
        return all;
    }
}
