// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import java.util.Arrays;

/** The generated tokens of one recorded request; a bit per token says that a step sampled it: no draft was right. */
final class AcceptedTokens
{
    private final long[] sampled;
    private final int count;

    private AcceptedTokens(final long[] sampled, final int count)
    {
        this.sampled = sampled;
        this.count = count;
    }

    int count()
    {
        return count;
    }

    /** Whether the token with this index was accepted as a draft. */
    boolean isAccepted(final int token)
    {
        return token < count && (sampled[token >> 6] & 1L << token) == 0;
    }

    long addTo(final long hash)
    {
        long sum = SplitMix64.mix(hash, count);
        for (final long word : sampled)
        {
            sum = SplitMix64.mix(sum, word);
        }
        return sum;
    }

    /** Collects the tokens of one request after the other. */
    static final class Builder
    {
        private long[] sampled = new long[16];
        private int count;

        /** The first token is sampled from the prompt. */
        void begin()
        {
            Arrays.fill(sampled, 0);
            count = 0;
            step(0);
        }

        /** A step that accepted so many draft tokens, and sampled the one behind them. */
        void step(final int accepted)
        {
            final int last = count + accepted;
            final int word = last >> 6;
            if (word >= sampled.length)
            {
                sampled = Arrays.copyOf(sampled, Math.max(word + 1, 2 * sampled.length));
            }
            sampled[word] |= 1L << last;
            count = last + 1;
        }

        int count()
        {
            return count;
        }

        AcceptedTokens tokens()
        {
            return new AcceptedTokens(Arrays.copyOf(sampled, (count - 1 >> 6) + 1), count);
        }
    }
}
