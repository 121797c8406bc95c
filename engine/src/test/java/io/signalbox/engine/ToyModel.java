// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.StateDigest;
import io.signalbox.engine.request.Sampling;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A language model without weights: the next token is a function of every token of the context and its position, of the
 * cache key, and of the sampling parameters.
 */
final class ToyModel
{
    static final int VOCABULARY = 40;
    /** The content of a KV cell that nothing was written to. */
    static final long POISON = 0xDEADBEEFL;

    /** A token and its log-probability. */
    record Next(int token, float logprob)
    {
    }

    private ToyModel()
    {
    }

    /** Keys and values of one token. */
    static long cell(final byte[] cacheKey, final int position, final int token)
    {
        long key = 17;
        for (final byte b : cacheKey)
        {
            key = StateDigest.mix(key, b);
        }
        return StateDigest.mix(key, position, token);
    }

    /** Attention over one more cell. */
    static long attend(final long context, final long cell)
    {
        return StateDigest.mix(context, cell, 3);
    }

    static Next next(final long context, final int position, final Sampling sampling)
    {
        long draw = context;
        if (sampling.temperature() > 0)
        {
            draw = StateDigest.mix(draw, sampling.seed().getAsLong(), position);
            draw = StateDigest.mix(
                draw, Float.floatToIntBits(sampling.temperature()), Float.floatToIntBits(sampling.topP()));
            draw = StateDigest.mix(draw, sampling.topK());
        }
        return new Next((int)Math.floorMod(draw, (long)VOCABULARY), -Math.floorMod(draw >> 8, 1000L) / 64f);
    }

    /** The tokens of a request, as no step, block or rank can change them. */
    static List<Next> generate(final CompletionRequest request, final long requestId)
    {
        final Sampling sampling = request.sampling().withSeed(request.seed().orElse(requestId));
        long context = 0;
        int position = 0;
        for (final int token : request.prompt())
        {
            context = attend(context, cell(request.cacheKey(), position++, token));
        }
        final List<Next> generated = new ArrayList<>();
        while (generated.size() < request.maxNewTokens())
        {
            final Next next = next(context, position, sampling);
            generated.add(next);
            if (Arrays.binarySearch(request.stopTokens(new int[0]), next.token) >= 0)
            {
                break;
            }
            context = attend(context, cell(request.cacheKey(), position++, next.token));
        }
        return generated;
    }
}
