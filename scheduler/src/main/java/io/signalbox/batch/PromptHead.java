// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.StateDigest;
import io.signalbox.router.PlacementBatch;
import io.signalbox.saved.SavedFields;

import java.util.Arrays;

/** The first tokens of a request's prompt: the part of its text that routers see. */
public final class PromptHead
{
    private int[] tokens = new int[2];
    private int length;

    void clear()
    {
        length = 0;
    }

    /** Appends a token; at most {@link PlacementBatch#HEAD_TOKENS}. */
    public void add(final int token)
    {
        if (length == tokens.length)
        {
            tokens = Arrays.copyOf(tokens, PlacementBatch.HEAD_TOKENS);
        }
        tokens[length++] = token;
    }

    /** Only the first {@link #length()} values are valid. */
    public int[] tokens()
    {
        return tokens;
    }

    public int length()
    {
        return length;
    }

    void save(final SavedFields fields)
    {
        length = fields.int32(length, 0, PlacementBatch.HEAD_TOKENS);
        tokens = fields.int32s(tokens, length);
    }

    /** Digest of the tokens, chained to another. */
    long digest(final long before)
    {
        long digest = StateDigest.mix(before, length);
        for (int i = 0; i < length; i++)
        {
            digest = StateDigest.mix(digest, tokens[i]);
        }
        return digest;
    }
}
