// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import java.util.Arrays;

/** The blocks that one step completed and whose hashes prefix matches find from now on. */
final class RegisteredBlocks
{
    private int count;
    private int[] blocks = new int[16];
    private int[] issues = new int[16];
    private long[] hashes = new long[16];
    private boolean[] generated = new boolean[16];

    void clear()
    {
        count = 0;
    }

    /** @param isGenerated whether decoding put a token into the block. */
    void add(final int blockId, final int issue, final long blockHash, final boolean isGenerated)
    {
        if (count == blocks.length)
        {
            blocks = Arrays.copyOf(blocks, 2 * count);
            issues = Arrays.copyOf(issues, 2 * count);
            hashes = Arrays.copyOf(hashes, 2 * count);
            generated = Arrays.copyOf(generated, 2 * count);
        }
        blocks[count] = blockId;
        issues[count] = issue;
        generated[count] = isGenerated;
        hashes[count++] = blockHash;
    }

    int count()
    {
        return count;
    }

    int block(final int index)
    {
        return blocks[index];
    }

    int issue(final int index)
    {
        return issues[index];
    }

    long hash(final int index)
    {
        return hashes[index];
    }

    /** Whether decoding put a token into the block. */
    boolean isGenerated(final int index)
    {
        return generated[index];
    }
}
