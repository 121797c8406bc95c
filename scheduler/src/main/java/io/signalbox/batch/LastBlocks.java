// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import java.util.Arrays;

/** The last blocks, partly filled, of requests that ended with one step, as far as they are kept to be copied. */
public final class LastBlocks
{
    private int count;
    private int[] blocks = new int[4];
    private int[] issues = new int[4];
    private long[] hashes = new long[4];
    private int[] tokens = new int[4];

    void clear()
    {
        count = 0;
    }

    void add(final int blockId, final int issue, final long blockHash, final int computedTokens)
    {
        if (count == blocks.length)
        {
            blocks = Arrays.copyOf(blocks, 2 * count);
            issues = Arrays.copyOf(issues, 2 * count);
            hashes = Arrays.copyOf(hashes, 2 * count);
            tokens = Arrays.copyOf(tokens, 2 * count);
        }
        blocks[count] = blockId;
        issues[count] = issue;
        hashes[count] = blockHash;
        tokens[count++] = computedTokens;
    }

    public int count()
    {
        return count;
    }

    public int block(final int index)
    {
        return blocks[index];
    }

    public int issue(final int index)
    {
        return issues[index];
    }

    public long hash(final int index)
    {
        return hashes[index];
    }

    /** Tokens of the block that are computed. */
    public int tokens(final int index)
    {
        return tokens[index];
    }
}
