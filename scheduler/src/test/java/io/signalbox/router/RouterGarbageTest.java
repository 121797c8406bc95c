// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import com.sun.management.ThreadMXBean;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RouterGarbageTest
{
    private static final int RANKS = 16;
    private static final int REQUESTS = 64;

    private final PlacementBatch batch = new PlacementBatch(RANKS, 64);
    private final Random random = new Random(5);
    private final int[] head = new int[PlacementBatch.HEAD_TOKENS];
    private long nextId;
    private int ties;

    /** Repeats ties that draw the seeded order, warm-up, gates and evicted conversations. */
    @ParameterizedTest
    @MethodSource("io.signalbox.router.Routers#all")
    void shouldAllocateNothingToPlaceABatch(final DpRouterProvider provider)
    {
        final RouterConfig warm = Routers.with(RouterConfig.of(provider), "coldStartWarmup", true);
        final DpRouter router = Routers.with(warm, "maxSessions", 500).router(RANKS, true);
        place(router, 300);
        final long[] windows = new long[21];
        for (int window = 0; window < windows.length; window++)
        {
            windows[window] = bytesOfFiftyBatches(router);
        }
        Arrays.sort(windows);
        // The median, because the JVM may itself allocate in some windows.
        assertEquals(0, windows[windows.length / 2], "bytes in windows of fifty batches: " + Arrays.toString(windows));
        assertTrue(!provider.label().equals("kv-aware") || ties > 0, "the seeded order was drawn");
    }

    private long bytesOfFiftyBatches(final DpRouter router)
    {
        final ThreadMXBean threads = (ThreadMXBean)ManagementFactory.getThreadMXBean();
        final long start = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
        place(router, 50);
        return threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - start;
    }

    private void place(final DpRouter router, final int batches)
    {
        for (int i = 0; i < batches; i++)
        {
            batch.clear();
            for (int rank = 0; rank < RANKS; rank++)
            {
                batch.rank(rank, random.nextInt(8), false);
                batch.figure(rank, RankFigure.PROMPT_TOKENS, random.nextInt(3) * 100L);
                batch.figure(rank, RankFigure.UNCACHED_TOKENS, random.nextInt(3) * 100L);
            }
            for (int j = 0; j < REQUESTS; j++)
            {
                final int hint = random.nextInt(8) == 0 ? random.nextInt(RANKS) : PlacementBatch.NO_RANK;
                final int request = batch.add(nextId++, random.nextInt(2000), 100, hint, Relax.RELAXED);
                Arrays.fill(head, random.nextInt(4));
                batch.head(request, head, head.length);
                batch.matchedTokens(request, random.nextInt(RANKS), random.nextInt(100));
            }
            router.place(batch);
            router.ended(i);
            for (int j = 0; j < REQUESTS; j++)
            {
                ties += batch.tieRule(j) == TieRule.SEEDED_ORDER ? 1 : 0;
            }
        }
    }
}
