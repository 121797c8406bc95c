// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

/**
 * Tokens per KV block. Divides by a multiplication, because each step asks several times per request in which block a
 * position is, and a division costs more than the rest of the question.
 */
public final class BlockSize
{
    private static final int POSITION_BITS = 31;

    private final int tokens;
    private final long reciprocal;
    private final int shift;

    /** @param tokens at least 1. */
    BlockSize(final int tokens)
    {
        this.tokens = tokens;
        // Exact for every position: reciprocal * tokens exceeds 2^shift by at most tokens <= 2^(shift - 31).
        shift = POSITION_BITS + Integer.SIZE - Integer.numberOfLeadingZeros(tokens - 1);
        reciprocal = (1L << shift) / tokens + 1;
    }

    /** KV blocks that a request needs at its largest output; its last token is never fed to the model. */
    public static long blocksNeeded(final int promptTokens, final int maxNewTokens, final int blockSizeTokens)
    {
        final long fed = (long)promptTokens + Math.max(0, maxNewTokens - 1);
        return (fed + blockSizeTokens - 1) / blockSizeTokens;
    }

    int tokens()
    {
        return tokens;
    }

    /** The index of the block that holds a position, 0 or above. */
    int blockOf(final int position)
    {
        return (int)(position * reciprocal >>> shift);
    }

    /** A position within its block. */
    int offsetOf(final int position)
    {
        return position - blockOf(position) * tokens;
    }

    /** Blocks that hold so many tokens, 0 or more. */
    int blocksFor(final int count)
    {
        return count == 0 ? 0 : blockOf(count - 1) + 1;
    }
}
