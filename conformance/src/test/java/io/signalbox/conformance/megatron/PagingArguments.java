// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance.megatron;

import io.signalbox.ConfigException;

/** Checks what callers of a {@link MegatronPlanner} hand in, before anything is changed. */
final class PagingArguments
{
    /** Leaves room for a step beyond the last token; no pool of this size is ever built. */
    private static final int MOST_TOKENS = Integer.MAX_VALUE / 2;

    private final PagingConfig config;

    PagingArguments(final PagingConfig config)
    {
        this.config = config;
    }

    void checkRequest(final long id, final int[] prompt, final int promptTokens, final long[] hashes, final int generate)
    {
        if (promptTokens < 1 || generate < 1)
        {
            throw new ConfigException("request " + id + " has " + promptTokens + " prompt tokens and " + generate +
                " tokens to generate; give at least 1 of each.");
        }
        if (promptTokens > prompt.length)
        {
            throw new ConfigException("request " + id + " has " + promptTokens + " prompt tokens in an array of " +
                prompt.length + "; give the length of the prompt.");
        }
        if (promptTokens > config.maxTokens() && !config.chunkedPrefill())
        {
            throw new ConfigException("request " + id + " has " + promptTokens + " prompt tokens, more than maxTokens=" +
                config.maxTokens() + "; shorten it, raise maxTokens or use chunked prefill.");
        }
        final long stored = promptTokens + (generate > 1 ? generate - 1L + config.draftTokens() : 0);
        final int usable = config.blocks().poolSize() - 1;
        if (stored > Math.min((long)usable * config.blockSizeTokens(), MOST_TOKENS))
        {
            throw new ConfigException("request " + id + " may store " + stored + " tokens, more than the pool's " + usable +
                " blocks of " + config.blockSizeTokens() + " hold; shorten it or enlarge the pool.");
        }
        if (config.blocks().prefixCaching())
        {
            checkHashes(id, hashes, promptTokens / config.blockSizeTokens());
        }
    }

    private static void checkHashes(final long id, final long[] hashes, final int fullBlocks)
    {
        if (fullBlocks > 0 && (hashes == null || hashes.length < fullBlocks))
        {
            throw new ConfigException("request " + id + " has " + fullBlocks + " full blocks and " +
                (hashes == null ? "no" : hashes.length) + " block hashes; give one hash per full block.");
        }
        checkHashValues(id, hashes, fullBlocks);
    }

    /** Of a {@link PromptHasher}. */
    void checkHashes(final long id, final int hashCount, final long[] hashes, final int fullBlocks)
    {
        if (hashCount != fullBlocks)
        {
            throw new ConfigException("the PromptHasher gave " + hashCount + " block hashes for the " + fullBlocks +
                " full blocks of evicted request " + id + "; give one hash per full block.");
        }
        checkHashValues(id, hashes, fullBlocks);
    }

    private static void checkHashValues(final long id, final long[] hashes, final int fullBlocks)
    {
        for (int i = 0; i < fullBlocks; i++)
        {
            if (hashes[i] <= 0)
            {
                throw new ConfigException("request " + id + ", hash " + hashes[i] + " of block " + i +
                    " is not between 1 and 2^63 - 1; use the hashes of a BlockHasher.");
            }
        }
    }

    void checkAccepted(final int[] accepted, final RequestRowTable rows)
    {
        checkLength("accepted", accepted, rows.activeRows());
        for (int i = 0; i < rows.activeRows(); i++)
        {
            if (!rows.active(i).prefill && (accepted[i] < 0 || accepted[i] > config.draftTokens()))
            {
                throw new ConfigException("accepted[" + i + "]=" + accepted[i] + " of request " + rows.active(i).id() +
                    " is not between 0 and draftTokens=" + config.draftTokens() + ".");
            }
        }
    }

    void checkRows(final int[][] rows, final int tokens, final int rowIds)
    {
        final int given = rows == null ? 0 : rows.length;
        if (given < tokens)
        {
            throw new ConfigException("the step has " + tokens + " tokens, but " + given +
                " routed-expert rows were given; give the rows of the whole step.");
        }
        for (int token = 0; token < tokens; token++)
        {
            if (rows[token].length != rowIds)
            {
                throw new ConfigException("the routed-expert row of token " + token + " has " + rows[token].length +
                    " ids, not " + rowIds + "; give one id per MoE layer and place.");
            }
        }
    }

    void checkSampled(final int[] sampled, final int[] drafts, final RequestRowTable rows)
    {
        checkLength("sampled", sampled, rows.activeRows());
        if (config.draftTokens() > 0)
        {
            checkLength("drafts", drafts, (long)rows.activeRows() * config.draftTokens());
        }
    }

    private static void checkLength(final String name, final int[] values, final long needed)
    {
        if (values == null || values.length < needed)
        {
            throw new ConfigException(name + " has " + (values == null ? "no" : values.length) +
                " entries, but the step's active rows need " + needed + "; give the results of the whole step.");
        }
    }
}
