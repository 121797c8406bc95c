// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance.megatron;

import java.util.Arrays;

/**
 * The work of one step: the tokens of the active rows, row after row, each with the KV block and the place in it
 * that its KV content and its routed-expert row belong to. Blocks are taken from the request's own block table and from
 * nothing else. Filled by {@link MegatronPlanner#schedule}, valid until the update of the step.
 */
public final class StepLayout
{
    private final RequestRowTable rows;
    private final int blockSizeTokens;
    private int tokenCount;
    private int[] tokenIds;
    private int[] tokenBlocks;
    private int[] tokenOffsets;

    StepLayout(final RequestRowTable rows, final int blockSizeTokens, final int expectedTokens)
    {
        this.rows = rows;
        this.blockSizeTokens = blockSizeTokens;
        tokenIds = new int[expectedTokens];
        tokenBlocks = new int[expectedTokens];
        tokenOffsets = new int[expectedTokens];
    }

    void clear()
    {
        tokenCount = 0;
    }

    /** Appends the tokens that the request feeds: from its known tokens, or the sampled one and its drafts. */
    void append(final PagedRequest request)
    {
        final int count = request.queryTokens;
        ensure(tokenCount + count);
        request.layoutStart = tokenCount;
        for (int i = 0; i < count; i++)
        {
            final int position = request.kvOffset + i;
            tokenIds[tokenCount] = request.prefill || i == 0 ? request.token(position) : request.draftTokens[i - 1];
            tokenBlocks[tokenCount] = request.blockTable[position / blockSizeTokens];
            tokenOffsets[tokenCount++] = position % blockSizeTokens;
        }
    }

    private void ensure(final int count)
    {
        if (count > tokenIds.length)
        {
            final int capacity = Math.max(count, 2 * tokenIds.length);
            tokenIds = Arrays.copyOf(tokenIds, capacity);
            tokenBlocks = Arrays.copyOf(tokenBlocks, capacity);
            tokenOffsets = Arrays.copyOf(tokenOffsets, capacity);
        }
    }

    public int pausedRequests()
    {
        return rows.pausedRequests();
    }

    public int totalRequests()
    {
        return rows.totalRequests();
    }

    public int activeRows()
    {
        return rows.activeRows();
    }

    /** The request of an active row, counted from the first active one. */
    public PagedRequest request(final int activeRow)
    {
        return rows.active(activeRow);
    }

    /** Tokens that the active row feeds. */
    public int queryTokens(final int activeRow)
    {
        return rows.active(activeRow).queryTokens;
    }

    /** Position of the row's first token in its request: tokens whose KV content is there already. */
    public int kvOffset(final int activeRow)
    {
        return rows.active(activeRow).kvOffset;
    }

    /** Index of the row's first token in this layout. */
    public int firstToken(final int activeRow)
    {
        return rows.active(activeRow).layoutStart;
    }

    /** Tokens of all active rows. */
    public int tokenCount()
    {
        return tokenCount;
    }

    public int tokenId(final int token)
    {
        return tokenIds[token];
    }

    public int tokenBlock(final int token)
    {
        return tokenBlocks[token];
    }

    /** The token's place in its block. */
    public int tokenOffset(final int token)
    {
        return tokenOffsets[token];
    }
}
