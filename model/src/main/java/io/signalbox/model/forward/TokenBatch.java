// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

import java.util.Arrays;

/**
 * The tokens of one step, in any mixture of prompt chunks and decoding sequences: each has an id, a position and the block
 * table of its sequence. A token sees the positions of its table up to its own. Used again for the next step.
 */
public final class TokenBatch
{
    private int count;
    private int[] ids = new int[16];
    private int[] positions = new int[16];
    private int[][] tables = new int[16][];
    private int sampledCount;
    private int[] sampled = new int[16];

    public void clear()
    {
        count = 0;
        sampledCount = 0;
    }

    /**
     * Adds a token.
     *
     * @param table the block that holds each run of positions; not copied.
     */
    public void add(final int id, final int position, final int[] table)
    {
        if (count == ids.length)
        {
            // The array that is asked for its length comes last, so that one that found no memory is made again.
            positions = Arrays.copyOf(positions, 2 * count);
            tables = Arrays.copyOf(tables, 2 * count);
            ids = Arrays.copyOf(ids, 2 * count);
        }
        ids[count] = id;
        positions[count] = position;
        tables[count++] = table;
    }

    /** The logits behind the token that was added last are wanted. */
    public void sampleLast()
    {
        if (sampledCount == sampled.length)
        {
            sampled = Arrays.copyOf(sampled, 2 * sampledCount);
        }
        sampled[sampledCount++] = count - 1;
    }

    public int count()
    {
        return count;
    }

    int id(final int token)
    {
        return ids[token];
    }

    int position(final int token)
    {
        return positions[token];
    }

    int[] table(final int token)
    {
        return tables[token];
    }

    /** Tokens whose logits are wanted. */
    public int sampledCount()
    {
        return sampledCount;
    }

    int sampled(final int index)
    {
        return sampled[index];
    }
}
