// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.request;

import java.util.Arrays;

/**
 * The tokens of one request, which only grow: one thread appends, and any thread reads what is visible without a copy. The
 * arrays are written before the count is, and readers read the count first, so that every token below it is there.
 */
public final class TokenBuffer
{
    public static final TokenBuffer EMPTY = new TokenBuffer(false);
    private static final int FIRST_CAPACITY = 16;

    private int[] tokens = new int[FIRST_CAPACITY];
    /** {@code null} if none are wanted. */
    private float[] logprobs;
    private int appended;
    /** No further token is shown. */
    private int limit = Integer.MAX_VALUE;
    private volatile int count;

    public TokenBuffer(final boolean wantsLogprobs)
    {
        logprobs = wantsLogprobs ? new float[FIRST_CAPACITY] : null;
    }

    /** Adds a token that {@link #show} makes visible. */
    public void append(final int token, final float logprob)
    {
        if (appended == tokens.length)
        {
            tokens = Arrays.copyOf(tokens, 2 * appended);
            logprobs = logprobs == null ? null : Arrays.copyOf(logprobs, 2 * appended);
        }
        tokens[appended] = token;
        if (logprobs != null)
        {
            logprobs[appended] = logprob;
        }
        appended++;
    }

    /** Makes every token visible that was appended and is below the limit. */
    public synchronized void show()
    {
        count = Math.min(appended, limit);
    }

    /**
     * Hides every token from this one on, also later ones.
     *
     * @throws IndexOutOfBoundsException if there are fewer tokens.
     */
    public synchronized void cut(final int tokens)
    {
        if (tokens < 0 || tokens > count)
        {
            throw new IndexOutOfBoundsException("the answer has " + count + " tokens, not " + tokens);
        }
        limit = tokens;
        count = tokens;
    }

    /** The answer has so many tokens, whatever was cut before. */
    public synchronized void end(final int tokens)
    {
        limit = tokens;
        count = Math.min(appended, limit);
    }

    public int count()
    {
        return count;
    }

    public int token(final int index)
    {
        check(index);
        return tokens[index];
    }

    /** {@link Float#NaN} if the backend reported none, or none are wanted. */
    public float logprob(final int index)
    {
        check(index);
        return logprobs == null ? Float.NaN : logprobs[index];
    }

    private void check(final int index)
    {
        final int visible = count;
        if (index < 0 || index >= visible)
        {
            throw new IndexOutOfBoundsException("token " + index + " of " + visible + " is not visible");
        }
    }

    /** A copy of the visible tokens. */
    public int[] copy()
    {
        final int visible = count;
        return Arrays.copyOf(tokens, visible);
    }

    /** A copy of the visible log-probabilities; empty if none are wanted. */
    public float[] copyLogprobs()
    {
        final int visible = count;
        return logprobs == null ? new float[0] : Arrays.copyOf(logprobs, visible);
    }
}
