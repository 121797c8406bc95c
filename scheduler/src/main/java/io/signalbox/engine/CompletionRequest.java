// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.ConfigException;

/**
 * A request of a client.
 *
 * @param prompt       token ids, at least one.
 * @param maxNewTokens 0 for prefill only.
 * @param stopTokenId  -1 for none.
 * @param cacheKey     further inputs that KV content depends on (LoRA, salt, tenant); empty for none.
 * @param deadlineNanos on the engine's clock; -1 for none.
 * @param priority     higher is admitted first.
 * @param rowsFrom     first position whose routed-expert rows are wanted; -1 for none.
 * @param sampling     how its tokens are sampled.
 */
public record CompletionRequest(
    int[] prompt,
    int maxNewTokens,
    int stopTokenId,
    byte[] cacheKey,
    long deadlineNanos,
    int priority,
    int rowsFrom,
    Sampling sampling)
{
    public CompletionRequest
    {
        if (prompt == null)
        {
            throw ConfigException.of("prompt", "null", "an array of tokens", "give its token ids");
        }
        if (prompt.length == 0)
        {
            throw ConfigException.of("prompt", "[]", "one or more tokens", "give at least one token");
        }
        if (cacheKey == null)
        {
            throw ConfigException.of(
                "cacheKey", "null", "an array of bytes", "give an empty array if KV content depends on nothing else");
        }
        if (maxNewTokens < 0)
        {
            throw ConfigException.of(
                "maxNewTokens", Integer.toString(maxNewTokens), "0 or more", "give 0 for prefill only");
        }
        if (sampling == null)
        {
            throw ConfigException.of(
                "sampling", "null", "a temperature with its bounds", "give Sampling.PLAIN for the model's probabilities");
        }
        if (rowsFrom < -1 || rowsFrom > prompt.length)
        {
            throw ConfigException.of("rowsFrom", Integer.toString(rowsFrom), "-1 or a position of the prompt of " +
                prompt.length + " tokens", "give 0 for all rows or -1 for none");
        }
    }

    /** A request with {@link Sampling#PLAIN} sampling. */
    public CompletionRequest(
        final int[] prompt,
        final int maxNewTokens,
        final int stopTokenId,
        final byte[] cacheKey,
        final long deadlineNanos,
        final int priority,
        final int rowsFrom)
    {
        this(prompt, maxNewTokens, stopTokenId, cacheKey, deadlineNanos, priority, rowsFrom, Sampling.PLAIN);
    }

    /** The same request with another sampling. */
    public CompletionRequest sampled(final Sampling other)
    {
        return new CompletionRequest(
            prompt, maxNewTokens, stopTokenId, cacheKey, deadlineNanos, priority, rowsFrom, other);
    }

    public static CompletionRequest of(final int[] prompt, final int maxNewTokens)
    {
        return new CompletionRequest(prompt, maxNewTokens, -1, new byte[0], -1, 0, -1);
    }
}
