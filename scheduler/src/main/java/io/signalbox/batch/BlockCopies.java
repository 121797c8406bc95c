// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import java.util.Arrays;

/** The copies of KV content from block to block that a step begins with. */
public final class BlockCopies
{
    private int count;
    private long[] requestIds = new long[4];
    private int[] fromBlocks = new int[4];
    private int[] fromIssues = new int[4];
    private int[] toBlocks = new int[4];
    private int[] toIssues = new int[4];
    private int[] tokens = new int[4];

    void clear()
    {
        count = 0;
    }

    void add(
        final long requestId,
        final int fromBlock,
        final int fromIssue,
        final int toBlock,
        final int toIssue,
        final int firstTokens)
    {
        if (count == tokens.length)
        {
            requestIds = Arrays.copyOf(requestIds, 2 * count);
            fromBlocks = Arrays.copyOf(fromBlocks, 2 * count);
            fromIssues = Arrays.copyOf(fromIssues, 2 * count);
            toBlocks = Arrays.copyOf(toBlocks, 2 * count);
            toIssues = Arrays.copyOf(toIssues, 2 * count);
            tokens = Arrays.copyOf(tokens, 2 * count);
        }
        requestIds[count] = requestId;
        fromBlocks[count] = fromBlock;
        fromIssues[count] = fromIssue;
        toBlocks[count] = toBlock;
        toIssues[count] = toIssue;
        tokens[count++] = firstTokens;
    }

    public int count()
    {
        return count;
    }

    public long requestId(final int index)
    {
        return requestIds[index];
    }

    public int fromBlock(final int index)
    {
        return fromBlocks[index];
    }

    public int fromIssue(final int index)
    {
        return fromIssues[index];
    }

    public int toBlock(final int index)
    {
        return toBlocks[index];
    }

    public int toIssue(final int index)
    {
        return toIssues[index];
    }

    /** The first tokens of the blocks, so many. */
    public int tokens(final int index)
    {
        return tokens[index];
    }

    /** The blocks that are copied, for calls with a list of blocks; as many as there are copies. */
    int[] fromBlocks()
    {
        return fromBlocks;
    }
}
