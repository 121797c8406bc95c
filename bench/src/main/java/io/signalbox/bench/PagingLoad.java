// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

import io.signalbox.kv.hash.BlockHashFunction;
import io.signalbox.kv.hash.BlockHasher;
import io.signalbox.workload.SplitMix64;

import java.util.Arrays;

/**
 * The load of a {@link PagingComparison}: requests in the order of their arrival, a function of seed and count alone.
 * A prompt is the shared prefix of one of a few families and other tokens; gaps between arrivals are exponential.
 */
final class PagingLoad
{
    private static final int FAMILIES = 8;
    private static final double MEAN_GAP_STEPS = 8;
    private static final int MAX_LENGTH = 256;

    private static final byte[] NO_CACHE_KEY = {};

    private final BlockHasher hasher = BlockHasher.of(BlockHashFunction.SHA_256, PagedRank.BLOCK_SIZE_TOKENS);
    private final int[] arrivalSteps;
    private final int[][] prompts;
    private final int[] newTokens;

    PagingLoad(final long seed, final int requests)
    {
        arrivalSteps = new int[requests];
        prompts = new int[requests][];
        newTokens = new int[requests];
        final SplitMix64 random = new SplitMix64(seed);
        final int[][] families = new int[FAMILIES][];
        for (int i = 0; i < FAMILIES; i++)
        {
            families[i] = tokens(random, length(random));
        }
        double now = 0;
        for (int i = 0; i < requests; i++)
        {
            now += MEAN_GAP_STEPS * random.nextExponential();
            arrivalSteps[i] = (int)now;
            prompts[i] = concat(families[random.nextInt(FAMILIES)], tokens(random, length(random)));
            newTokens[i] = length(random);
        }
    }

    /** Uniform in 16 … 256. */
    private static int length(final SplitMix64 random)
    {
        return 16 + random.nextInt(MAX_LENGTH - 15);
    }

    private static int[] tokens(final SplitMix64 random, final int count)
    {
        final int[] tokens = new int[count];
        for (int i = 0; i < count; i++)
        {
            tokens[i] = random.nextInt(128_000);
        }
        return tokens;
    }

    private static int[] concat(final int[] first, final int[] second)
    {
        final int[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    int requests()
    {
        return prompts.length;
    }

    /** The step before which the request arrives, counted from 0. */
    int arrivalStep(final int request)
    {
        return arrivalSteps[request];
    }

    int[] prompt(final int request)
    {
        return prompts[request];
    }

    /** Block hashes of the full blocks of its prompt. */
    long[] hashes(final int request)
    {
        final long[] hashes = new long[prompts[request].length / PagedRank.BLOCK_SIZE_TOKENS];
        hash(prompts[request], prompts[request].length, hashes);
        return hashes;
    }

    int hash(final int[] tokens, final int count, final long[] hashes)
    {
        return hasher.hash(tokens, count, NO_CACHE_KEY, hashes);
    }

    int newTokens(final int request)
    {
        return newTokens[request];
    }

    /** The sampled token when the request has this many tokens: the same under every paging. */
    static int sampledToken(final long request, final int knownTokens)
    {
        return (int)(SplitMix64.mix(request, knownTokens) >>> 48);
    }
}
