// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance.megatron;


import java.util.Arrays;

/**
 * Blocks that a chunk of a prompt finds in the cache, tokens it need not compute, and blocks it takes from the pool.
 * The result of the last {@link #compute}; the same object serves every request.
 */
final class PrefillMatch
{
    private final KvBlockPool allocator;
    private final PagingConfig config;
    private int[] blocks = new int[16];
    private int firstBlock;
    private int endBlock;
    private int matched;
    private int skippedTokens;
    private int computedTokens;

    PrefillMatch(final KvBlockPool allocator, final PagingConfig config)
    {
        this.allocator = allocator;
        this.config = config;
    }

    /** @param chunk tokens of the prompt behind those that were admitted before. */
    void compute(final PagedRequest request, final int chunk)
    {
        final int admitted = request.admittedTokens;
        firstBlock = config.blocksFor(admitted);
        endBlock = config.blocksFor(admitted + chunk);
        matched = config.blocks().prefixCaching() ? match(request) : 0;
        skippedTokens = skip(admitted, chunk);
        computedTokens = chunk - skippedTokens;
    }

    private int match(final PagedRequest request)
    {
        final int end = Math.min(endBlock, request.hashCount);
        if (firstBlock >= end)
        {
            return 0;
        }
        if (end - firstBlock > blocks.length)
        {
            blocks = Arrays.copyOf(blocks, Math.max(end - firstBlock, 2 * blocks.length));
        }
        return allocator.longestMatch(request.blockHashes, firstBlock, end, blocks, 0);
    }

    /**
     * The last token is always computed, and of a chunk of two tokens or more two are: attention kernels
     * take a single one for a decode step. Blocks are given back whole for that.
     */
    private int skip(final int admitted, final int chunk)
    {
        final int blockSizeTokens = config.blockSizeTokens();
        final boolean aligned = admitted % blockSizeTokens == 0;
        final int skip = matched > 0 && aligned ? (int)Math.min((long)matched * blockSizeTokens, chunk - 1) : 0;
        return chunk - skip < 2 && chunk >= 2 ? (chunk - 2) / blockSizeTokens * blockSizeTokens : skip;
    }

    /** Index in the request's block table of the first block of the chunk that no chunk before had begun. */
    int firstBlock()
    {
        return firstBlock;
    }

    /** Blocks that the request has after the chunk. */
    int endBlock()
    {
        return endBlock;
    }

    int matchedBlocks()
    {
        return matched;
    }

    int block(final int index)
    {
        return blocks[index];
    }

    int[] blocks()
    {
        return blocks;
    }

    /** Tokens of the chunk that are not computed. */
    int skippedTokens()
    {
        return skippedTokens;
    }

    /** Tokens of the chunk that are computed, those of matched blocks included if they are not skipped. */
    int computedTokens()
    {
        return computedTokens;
    }

    /** Blocks that the chunk takes from the pool. */
    int blocksFromPool()
    {
        return Math.max(0, endBlock - firstBlock - matched);
    }

    /** Matched blocks without an owner: they count as allocatable until the match takes them. */
    int unownedBlocks()
    {
        int unowned = 0;
        for (int i = 0; i < matched; i++)
        {
            unowned += allocator.refCount(blocks[i]) == 0 ? 1 : 0;
        }
        return unowned;
    }
}
