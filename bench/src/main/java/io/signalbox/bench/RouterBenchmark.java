// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

import io.signalbox.router.DpRouter;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.PlacementBatchWriter;
import io.signalbox.router.RankFigure;
import io.signalbox.router.Relax;
import io.signalbox.router.RouterConfig;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * Placing 256 requests on 64 ranks, matches given. The batch is filled anew each time, as a plan point does; how long that
 * takes alone is the other benchmark. Every request has a match on two ranks, and the ranks are loaded unevenly.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class RouterBenchmark
{
    private static final int RANKS = 64;
    private static final int REQUESTS = 256;
    private static final int VARIANTS = 32;
    /** So large that no request is left waiting: all 256 are scored. */
    private static final double BACKLOG = 1e12;
    private static final int HEAD = 64;
    private static final RankFigure[] FIGURES = RankFigure.values();

    @Param({"default", "kv-aware-pr", "kv-aware", "conversation", "round-robin", "least-loaded", "lmetric", "dynamo-cost",
        "sglang-cache-aware", "min-max", "kv-aware-raw", "signalbox"})
    public String policy;

    private DpRouter router;
    private final PlacementBatchWriter writer = new PlacementBatchWriter(RANKS, 1024);
    private final PlacementBatch batch = writer.batch();
    private final int[][] tokens = new int[VARIANTS][REQUESTS];
    private final int[][] matchedRank = new int[VARIANTS][REQUESTS];
    private final int[][] heads = new int[16][HEAD];
    private final int[] active = new int[RANKS];
    private final long[] load = new long[RANKS];
    private int variant;

    @Setup
    public void setUp()
    {
        final RouterConfig usual = RouterConfig.of(policy);
        final RouterConfig config = policy.equals("signalbox") ? usual.with("backlog", BACKLOG) : usual;
        router = config.router(RANKS, true);
        final SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < VARIANTS; i++)
        {
            for (int request = 0; request < REQUESTS; request++)
            {
                tokens[i][request] = 100 + random.nextInt(20_000);
                matchedRank[i][request] = random.nextInt(RANKS);
            }
        }
        for (final int[] head : heads)
        {
            for (int i = HEAD / 2; i < HEAD; i++)
            {
                head[i] = random.nextInt(50_000);
            }
        }
        for (int rank = 0; rank < RANKS; rank++)
        {
            active[rank] = 16 + random.nextInt(16);
            load[rank] = random.nextInt(20_000);
        }
    }

    @Benchmark
    public int place()
    {
        fill();
        router.place(batch);
        if (batch.decisions() != REQUESTS)
        {
            throw new IllegalStateException(policy + " placed " + batch.decisions() + " of " + REQUESTS + " requests");
        }
        return batch.chosenRank(0);
    }

    /** The time that {@link #place} spends before the router is asked. */
    @Benchmark
    public int fillOnly()
    {
        fill();
        return batch.count();
    }

    private void fill()
    {
        variant = (variant + 1) % VARIANTS;
        writer.clear();
        for (int rank = 0; rank < RANKS; rank++)
        {
            writer.rank(rank, active[rank], false);
            for (final RankFigure figure : FIGURES)
            {
                writer.figure(rank, figure, load[rank]);
            }
            writer.figure(rank, RankFigure.FREE_TOKENS, 1L << 40);
            writer.figure(rank, RankFigure.POOL_TOKENS, 1L << 40);
            writer.figure(rank, RankFigure.LONG_PREFILLS, 0);
            writer.figure(rank, RankFigure.DEFERRED_PREFILL_TOKENS, 0);
        }
        for (int i = 0; i < REQUESTS; i++)
        {
            final int request = writer.add(
                variant * REQUESTS + i, i % 100, tokens[variant][i], PlacementBatch.NO_RANK, Relax.NO_PARAMETERS);
            writer.head(request, heads[i % heads.length], HEAD);
            writer.matchedTokens(request, matchedRank[variant][i], tokens[variant][i] / 2);
            writer.matchedTokens(request, (matchedRank[variant][i] + 7) % RANKS, tokens[variant][i] / 4);
        }
    }
}
