// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance.megatron;

import io.signalbox.ConfigException;
import io.signalbox.kv.KvBlockConfig;

/**
 * The settings of a {@link MegatronPlanner}.
 *
 * @param blocks          the pool of KV blocks; its paused limit is what paused requests may keep together.
 * @param blockSizeTokens tokens per KV block, at least 1.
 * @param maxRequests     rows of the request table, paused ones included, at least 1.
 * @param maxTokens       the token budget of a step, at least 1 and room for one request's decode step.
 * @param draftTokens     draft tokens per request and decode step; fewer than {@code blockSizeTokens}, because a
 *                        resumed request gets one block and all tokens of its next step must fit.
 * @param chunkedPrefill  whether a prompt may be computed over several steps.
 */
public record PagingConfig(
    KvBlockConfig blocks, int blockSizeTokens, int maxRequests, int maxTokens, int draftTokens, boolean chunkedPrefill)
{
    public PagingConfig
    {
        if (blockSizeTokens < 1)
        {
            throw new ConfigException(
                "blockSizeTokens=" + blockSizeTokens + " is not positive; give the tokens per KV block.");
        }
        if (maxRequests < 1)
        {
            throw new ConfigException("maxRequests=" + maxRequests + " admits nothing; give at least 1.");
        }
        if (draftTokens < 0 || draftTokens >= blockSizeTokens)
        {
            throw new ConfigException("draftTokens=" + draftTokens + " is not between 0 and blockSizeTokens - 1 = " +
                (blockSizeTokens - 1) + "; a resumed request gets one block, so give fewer draft tokens or larger blocks.");
        }
        if (maxTokens < draftTokens + 1)
        {
            throw new ConfigException("maxTokens=" + maxTokens + " is less than the " + (draftTokens + 1) +
                " tokens of one request's decode step; give a larger token budget.");
        }
    }

    /** The most rows that may be active in a step of decoding alone. */
    int maxActiveRows()
    {
        return Math.min(maxRequests, maxTokens / (draftTokens + 1));
    }

    /** Tokens that an active row feeds in a decode step. */
    int tokensPerRow()
    {
        return draftTokens + 1;
    }

    /** Whether the tokens of the row's next step do not all fit its last block. */
    boolean needsBlock(final PagedRequest request)
    {
        return request.lastOffset >= blockSizeTokens - 1 - draftTokens;
    }

    /** Blocks that the given number of tokens fills or begins. */
    int blocksFor(final int tokens)
    {
        return (int)((tokens + (long)blockSizeTokens - 1) / blockSizeTokens);
    }
}
