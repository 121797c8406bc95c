// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

/**
 * One request as a step finds it: its tokens, its block table and its sampling parameters. Valid only during the call that
 * receives the step. Index arguments are checked. Reading allocates nothing.
 */
public interface RequestContent
{
    /** Most stop tokens of a request. */
    int MAX_STOP_TOKENS = 64;

    long requestId();

    int promptTokens();

    /** Tokens of the prompt, and those that were committed since. */
    int knownTokens();

    /** @param position from 0 to below {@link #knownTokens}. */
    int token(int position);

    /** Blocks of the table, those included that it gains with the step. */
    int blockCount();

    /** @param index of the block that holds the positions from {@code index} times the block size on. */
    int blockId(int index);

    /** 0: the most probable token. */
    float temperature();

    /** Whether the most probable token is wanted; temperature, top-k, top-p and seed do not count then. */
    default boolean isGreedy()
    {
        return temperature() == 0;
    }

    /** Sample from the k most probable tokens; 0: from all. */
    int topK();

    /** Sample from the most probable tokens that together have this probability, in (0, 1]. */
    float topP();

    /** A sampled token is a function of this seed and its position, whatever the depth or the batch. */
    long samplingSeed();

    boolean wantsLogprobs();

    /**
     * Whether a stop token may be sampled at a position. Before {@link #minNewTokens} tokens of the answer it may not: the
     * sampler leaves out every stop token, as if the model gave it no probability.
     */
    default boolean mayStopAt(final int position)
    {
        return position >= promptTokens() + minNewTokens();
    }

    /** Whether the sampler must leave out a token at a position: a stop token where the answer may not stop yet. */
    default boolean isLeftOut(final int position, final int token)
    {
        boolean stops = false;
        for (int i = mayStopAt(position) ? stopTokenCount() : 0; i < stopTokenCount() && !stops; i++)
        {
            stops = stopToken(i) == token;
        }
        return stops;
    }

    /** Tokens that the answer has before a stop token may be sampled; 0 unless the backend masks stop tokens. */
    int minNewTokens();

    /** At most {@link #MAX_STOP_TOKENS}. */
    int stopTokenCount();

    /** A stop token; ascending. */
    int stopToken(int index);

    /** Bytes of the cache key: the LoRA adapter, salt or tenant on which KV content depends. */
    int cacheKeyLength();

    byte cacheKeyByte(int index);
}
