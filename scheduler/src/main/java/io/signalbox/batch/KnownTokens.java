// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.StateDigest;

import java.util.Arrays;

/** Tokens of one request from a position on, prompt and answer; kept only if requests copy parts of blocks. */
public final class KnownTokens
{
    private static final int NONE = Integer.MAX_VALUE;

    private int first = NONE;
    private int end;
    private int[] tokens = new int[0];
    private long root;
    private long digest;

    void clear()
    {
        first = NONE;
    }

    /**
     * Starts to keep tokens.
     *
     * @param position of the first token that is added.
     * @param cacheKey names what the KV content depends on besides the tokens; equal for equal cache keys only.
     */
    public void begin(final int position, final long cacheKey)
    {
        first = position;
        end = position;
        // Block hashes are positive: a first block has no other block's prefix.
        root = cacheKey | Long.MIN_VALUE;
        digest = root;
    }

    /** The token at the next position; without effect before {@link #begin}. */
    public void add(final int token)
    {
        if (first == NONE)
        {
            return;
        }
        if (end - first == tokens.length)
        {
            tokens = Arrays.copyOf(tokens, Math.max(64, 2 * tokens.length));
        }
        tokens[end++ - first] = token;
        digest = StateDigest.mix(digest, token);
    }

    boolean isKept()
    {
        return first != NONE;
    }

    /** Whether every token from the position on is kept. */
    boolean hasFrom(final int position)
    {
        return position >= first;
    }

    int get(final int position)
    {
        return tokens[position - first];
    }

    /** The prefix of a first block. */
    long root()
    {
        return root;
    }

    long digest(final long before)
    {
        return first == NONE ? before : StateDigest.mix(before, digest, first);
    }
}
