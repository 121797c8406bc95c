// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.request;

import io.signalbox.ConfigException;

import java.util.OptionalLong;

/**
 * How the tokens of a request are sampled. A backend that reads no tokens ignores it.
 *
 * @param temperature finite, 0 or more; 0: the most probable token, whatever the others say.
 * @param topK        sample from the k most probable tokens; 0: from all.
 * @param topP        sample from the most probable tokens that together have this probability; above 0, at most 1.
 * @param seed        any number; empty: the id of the request is the seed.
 * @param logprobs    whether the log-probability of each token is wanted.
 */
public record Sampling(float temperature, int topK, float topP, OptionalLong seed, boolean logprobs)
{
    /** From all tokens, as they are, without log-probabilities. */
    public static final Sampling PLAIN = new Sampling(1, 0, 1, OptionalLong.empty(), false);

    /** @throws ConfigException if a parameter is out of range. */
    public Sampling
    {
        if (!(temperature >= 0 && temperature <= Float.MAX_VALUE))
        {
            throw ConfigException.of("temperature", Float.toString(temperature), "finite, 0 or more",
                "give 0 for the most probable token, or 1 for the model's probabilities");
        }
        if (topK < 0)
        {
            throw ConfigException.of("topK", Integer.toString(topK), "0 or more", "give 0 to sample from all tokens");
        }
        if (!(topP > 0 && topP <= 1))
        {
            throw ConfigException.of("topP", Float.toString(topP), "above 0, at most 1", "give 1 to sample from all tokens");
        }
    }

    public Sampling withTemperature(final float value)
    {
        return new Sampling(value, topK, topP, seed, logprobs);
    }

    public Sampling withTopK(final int value)
    {
        return new Sampling(temperature, value, topP, seed, logprobs);
    }

    public Sampling withTopP(final float value)
    {
        return new Sampling(temperature, topK, value, seed, logprobs);
    }

    public Sampling withSeed(final long value)
    {
        return new Sampling(temperature, topK, topP, OptionalLong.of(value), logprobs);
    }

    public Sampling withLogprobs()
    {
        return new Sampling(temperature, topK, topP, seed, true);
    }

    /** The seed of the random numbers of a request. */
    public long seedOf(final long requestId)
    {
        return seed.orElse(requestId);
    }

    /** The sampling of another answer to the same prompt: a seed rises by the number of the answer. */
    public Sampling ofSample(final int index)
    {
        return seed.isEmpty() ? this : withSeed(seed.getAsLong() + index);
    }

    @Override
    public String toString()
    {
        return (temperature == 0 ? "greedy" : "temperature " + temperature) + (topK == 0 ? "" : ", top-k " + topK) +
            (topP == 1 ? "" : ", top-p " + topP) + (seed.isEmpty() ? "" : ", seed " + seed.getAsLong()) +
            (logprobs ? ", with log-probabilities" : "");
    }
}
