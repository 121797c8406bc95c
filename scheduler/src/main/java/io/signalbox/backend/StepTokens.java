// SPDX-License-Identifier: Apache-2.0
package io.signalbox.backend;

import io.signalbox.event.StepView;

import java.util.Arrays;

/**
 * The results of one step that are no rows: for each entry, in batch order, its start and the tokens that it accepted, with
 * their log-probabilities if they are known. It names the step that it was computed for, and the engine compares that
 * with the step that it is reported for. A backend fills it, reports it, and may use it again. Not thread-safe.
 */
public final class StepTokens
{
    /** The log-probability of a token for which the backend has none. */
    public static final float NO_LOGPROB = Float.NaN;

    private int epoch;
    private int rank = -1;
    private long step;
    private int entryCount;
    private long computeNanos;
    private int[] starts = new int[16];
    private int[] accepted = new int[16];
    private int tokenCount;
    private int[] tokens = new int[16];
    private boolean anyLogprob;
    private float[] logprobs = new float[16];

    /** Begins the results of a step, without entries. */
    public StepTokens begin(final StepView plan)
    {
        return begin(plan.epoch(), plan.rank(), plan.step());
    }

    /** Begins the results of the step that a plan named like this, without entries. */
    public StepTokens begin(final int planEpoch, final int planRank, final long planStep)
    {
        epoch = planEpoch;
        rank = planRank;
        step = planStep;
        entryCount = 0;
        tokenCount = 0;
        computeNanos = 0;
        anyLogprob = false;
        return this;
    }

    public int epoch()
    {
        return epoch;
    }

    /** Rank of the step; -1 if none was begun. */
    public int rank()
    {
        return rank;
    }

    public long step()
    {
        return step;
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
        return accept(token, NO_LOGPROB);
    }

    /** @param logprob natural logarithm of the token's probability, or {@link #NO_LOGPROB}. */
    public StepTokens accept(final int token, final float logprob)
    {
        if (entryCount == 0)
        {
            throw new IllegalStateException("a token was accepted before the first entry; call entry first");
        }
        if (tokenCount == tokens.length)
        {
            tokens = Arrays.copyOf(tokens, 2 * tokenCount);
            logprobs = Arrays.copyOf(logprobs, 2 * tokenCount);
        }
        logprobs[tokenCount] = logprob;
        anyLogprob |= !Float.isNaN(logprob);
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

    /** Whether any token has a log-probability. */
    public boolean hasLogprobs()
    {
        return anyLogprob;
    }

    /** Log-probability of a token, or {@link #NO_LOGPROB}. */
    public float logprob(final int index)
    {
        return logprobs[check(index, tokenCount)];
    }

    private static int check(final int index, final int count)
    {
        if (index < 0 || index >= count)
        {
            throw new IndexOutOfBoundsException("index " + index + " of " + count);
        }
        return index;
    }

    @Override
    public String toString()
    {
        return "results of step " + step + " of rank " + rank + " in epoch " + epoch + ": " + tokenCount + " tokens of " +
            entryCount + " entries";
    }
}
