// SPDX-License-Identifier: Apache-2.0
package io.signalbox.stats;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Numbers of tokens in fixed buckets, recorded without garbage; of one thread at a time. */
final class TokenFigure
{
    private final long[] bounds;
    /** The last one counts what is above all bounds. */
    private final long[] counts;
    private long sum;

    private TokenFigure(final long... bounds)
    {
        this.bounds = bounds;
        counts = new long[bounds.length + 1];
    }

    /** Bounds of vLLM's histograms of requests: 1, 2, 5, 10, 20 and so on. */
    static TokenFigure ofRequests()
    {
        final long[] bounds = new long[19];
        long decade = 1;
        for (int i = 0; i < bounds.length; i++)
        {
            bounds[i] = decade * (i % 3 == 0 ? 1 : i % 3 == 1 ? 2 : 5);
            decade *= i % 3 == 2 ? 10 : 1;
        }
        return new TokenFigure(bounds);
    }

    /** Bounds of vLLM's histogram of steps. */
    static TokenFigure ofSteps()
    {
        return new TokenFigure(1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16_384);
    }

    void record(final long tokens)
    {
        final int found = Arrays.binarySearch(bounds, tokens);
        counts[found < 0 ? -found - 1 : found]++;
        sum += tokens;
    }

    void reset()
    {
        Arrays.fill(counts, 0);
        sum = 0;
    }

    void add(final TokenFigure later)
    {
        for (int i = 0; i < counts.length; i++)
        {
            counts[i] += later.counts[i];
        }
        sum += later.sum;
    }

    EngineStats.TokenHistogram histogram()
    {
        final List<EngineStats.TokenBucket> buckets = new ArrayList<>(bounds.length);
        long counted = 0;
        for (int i = 0; i < bounds.length; i++)
        {
            counted += counts[i];
            buckets.add(new EngineStats.TokenBucket(bounds[i], counted));
        }
        return new EngineStats.TokenHistogram(counted + counts[bounds.length], sum, List.copyOf(buckets));
    }
}
