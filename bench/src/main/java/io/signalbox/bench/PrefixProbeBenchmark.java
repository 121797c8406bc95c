// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

import io.signalbox.StateDigest;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.kv.KvBlockAllocator;
import io.signalbox.kv.KvBlockConfig;
import io.signalbox.kv.RankPrefixIndex;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * The prefix match of 256 prompts on each of 64 DP ranks: through one index over all ranks, and pool by pool. Prompts have
 * 2,048 blocks, of which the first 64 are a system prompt that every rank has; each continues as one of 1,024
 * conversations, of which every rank has an equal share, up to another place.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class PrefixProbeBenchmark
{
    private static final int RANKS = 64;
    private static final int REQUESTS = 256;
    private static final int PROMPT = 2048;
    private static final int SYSTEM_PROMPT = 64;
    private static final int CONVERSATIONS = 1024;
    private static final int POOL = 65_536;

    private final RankPrefixIndex index = new RankPrefixIndex(RANKS);
    private final KvBlockAllocator[] pools = new KvBlockAllocator[RANKS];
    private final long[][] prompts = new long[CONVERSATIONS][PROMPT];
    private final int[] matched = new int[RANKS];
    private final int[] table = new int[PROMPT];
    private int next;

    @Setup
    public void setUp()
    {
        final SplittableRandom random = new SplittableRandom(1);
        for (int rank = 0; rank < RANKS; rank++)
        {
            pools[rank] = new KvBlockAllocator(KvBlockConfig.of(POOL).withPrefixCaching(EvictionPolicy.LRU));
        }
        for (int conversation = 0; conversation < CONVERSATIONS; conversation++)
        {
            for (int i = 0; i < PROMPT; i++)
            {
                prompts[conversation][i] =
                    (StateDigest.mix(i < SYSTEM_PROMPT ? -1 : conversation, i) >>> 1) + 1;
            }
            cache(conversation % RANKS, prompts[conversation], SYSTEM_PROMPT + random.nextInt(PROMPT - SYSTEM_PROMPT));
        }
    }

    private void cache(final int rank, final long[] prompt, final int length)
    {
        final KvBlockAllocator pool = pools[rank];
        final int known = pool.longestMatch(prompt, 0, length, table, 0);
        pool.retain(table, 0, known);
        pool.allocate(length - known, table, known);
        for (int i = known; i < length; i++)
        {
            pool.register(table[i], prompt[i], i == 0 ? KvBlockAllocator.NO_HASH : prompt[i - 1], i);
            index.add(prompt[i], rank);
        }
        pool.release(table, 0, length);
    }

    /** All 256 x 64. */
    @Benchmark
    public int oneIndex()
    {
        int sum = 0;
        for (int i = 0; i < REQUESTS; i++)
        {
            index.longestMatches(next(), PROMPT, matched);
            sum += matched[i % RANKS];
        }
        return sum;
    }

    /** The same, asked of each rank's pool, which finds the blocks as well. */
    @Benchmark
    public int poolByPool()
    {
        int sum = 0;
        for (int i = 0; i < REQUESTS; i++)
        {
            final long[] prompt = next();
            for (int rank = 0; rank < RANKS; rank++)
            {
                sum += pools[rank].longestMatch(prompt, 0, PROMPT, table, 0);
            }
        }
        return sum;
    }

    private long[] next()
    {
        next = (next + 397) % CONVERSATIONS;
        return prompts[next];
    }
}
