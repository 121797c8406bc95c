// SPDX-License-Identifier: Apache-2.0
package io.signalbox.backend;

import java.util.Arrays;

/**
 * The tokens that the entries of one step added to their requests, in batch order: for each entry its start and the tokens
 * that it accepted. A backend fills it, reports it, and may use it again. Not thread-safe.
 */
public final class StepTokens
{
    private int entryCount;
    private long computeNanos;
    private int[] starts = new int[16];
    private int[] accepted = new int[16];
    private int tokenCount;
    private int[] tokens = new int[16];

    public StepTokens clear()
    {
        entryCount = 0;
        tokenCount = 0;
        computeNanos = 0;
        return this;
    }

    /** Says how long the device computed the step, for reports; 0: not known. */
    public StepTokens computed(final long nanos)
    {
        computeNanos = nanos;
        return this;
    }

    public long computeNanos()
    {
        return computeNanos;
    }

    /**
     * Begins the next entry.
     *
     * @param start position of the first token that it fed.
     */
    public StepTokens entry(final int start)
    {
        if (entryCount == starts.length)
        {
            starts = Arrays.copyOf(starts, 2 * entryCount);
            accepted = Arrays.copyOf(accepted, 2 * entryCount);
        }
        starts[entryCount] = start;
        accepted[entryCount++] = 0;
        return this;
    }

    /** The last entry accepts a further token: a draft token that was right, or the one that it sampled. */
    public StepTokens accept(final int token)
    {
        if (entryCount == 0)
        {
            throw new IllegalStateException("a token was accepted before the first entry; call entry first");
        }
        if (tokenCount == tokens.length)
        {
            tokens = Arrays.copyOf(tokens, 2 * tokenCount);
        }
        tokens[tokenCount++] = token;
        accepted[entryCount - 1]++;
        return this;
    }

    public int entryCount()
    {
        return entryCount;
    }

    public int start(final int entry)
    {
        return starts[check(entry, entryCount)];
    }

    public int accepted(final int entry)
    {
        return accepted[check(entry, entryCount)];
    }

    /** Accepted tokens of all entries. */
    public int tokenCount()
    {
        return tokenCount;
    }

    public int token(final int index)
    {
        return tokens[check(index, tokenCount)];
    }

    private static int check(final int index, final int count)
    {
        if (index < 0 || index >= count)
        {
            throw new IndexOutOfBoundsException("index " + index + " of " + count);
        }
        return index;
    }
}
