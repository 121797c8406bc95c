// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.request;

import io.signalbox.ConfigException;

/**
 * How the tokens of a request are sampled. A backend that reads no tokens ignores it.
 *
 * @param temperature finite, 0 or more; 0: the most probable token, whatever the others say.
 * @param topK        sample from the k most probable tokens; 0: from all.
 * @param topP        sample from the most probable tokens that together have this probability; above 0, at most 1.
 * @param seed        {@link #NO_SEED}: the id of the request.
 * @param logprobs    whether the log-probability of each token is wanted.
 */
public record Sampling(float temperature, int topK, float topP, long seed, boolean logprobs)
{
    public static final long NO_SEED = -1;
    /** From all tokens, as they are, without log-probabilities. */
    public static final Sampling PLAIN = new Sampling(1, 0, 1, NO_SEED, false);
    /** The most probable token, without log-probabilities. */
    static final Sampling GREEDY = new Sampling(0, 0, 1, NO_SEED, false);

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
}
