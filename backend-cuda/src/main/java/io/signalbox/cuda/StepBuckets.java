// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import java.util.Arrays;

/**
 * The sizes that grids are made for. A step of {@code n} tokens runs with the smallest bucket of at least {@code n}; warps
 * past {@code n} return at once. Small buckets run as CUDA graphs, larger ones launch kernel by kernel: there the launches
 * cost little beside the work, and a graph for each size would cost memory.
 */
final class StepBuckets
{
    private static final int FINE_STEP = 8;
    private static final int COARSE_STEP = 32;
    private static final int FINE_LIMIT = 64;

    private final int[] sizes;
    private final int graphs;

    /**
     * @param maxTokens      the most tokens of one step, the last bucket.
     * @param maxGraphTokens the largest bucket that runs as a graph; 0: none.
     */
    StepBuckets(final int maxTokens, final int maxGraphTokens)
    {
        CudaBackendConfig.MAX_STEP_TOKENS.check(maxTokens);
        CudaBackendConfig.MAX_GRAPH_TOKENS.check(maxGraphTokens);
        int[] made = new int[Integer.SIZE + maxTokens / FINE_STEP];
        int count = 0;
        for (int size = 1; size < maxTokens; size = next(size, maxGraphTokens))
        {
            made[count++] = size;
        }
        made[count++] = maxTokens;
        sizes = Arrays.copyOf(made, count);
        graphs = (int)Arrays.stream(sizes).filter(size -> size <= maxGraphTokens).count();
    }

    /** Fine steps as long as a graph's padding would cost, doubling above. */
    private static int next(final int size, final int maxGraphTokens)
    {
        if (size < FINE_STEP || size >= maxGraphTokens)
        {
            return 2 * size;
        }
        return size + (size < FINE_LIMIT ? FINE_STEP : COARSE_STEP);
    }

    int count()
    {
        return sizes.length;
    }

    /** Tokens of a bucket. */
    int size(final int bucket)
    {
        return sizes[bucket];
    }

    /** Whether a bucket runs as a graph. */
    boolean isGraph(final int bucket)
    {
        return bucket < graphs;
    }

    /** The smallest bucket of at least {@code tokens}. */
    int of(final int tokens)
    {
        final int found = Arrays.binarySearch(sizes, tokens);
        return found >= 0 ? found : -found - 1;
    }
}
