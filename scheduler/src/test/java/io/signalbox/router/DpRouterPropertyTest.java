// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import io.signalbox.router.trtllm.KvAwareDpRouter;
import io.signalbox.router.trtllm.KvAwarePrDpRouter;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class DpRouterPropertyTest
{
    private static final int MAX_ACTIVE = 6;

    /** No more requests than fit, as admission lets through. */
    static PlacementBatch batch(final Random random, final int ranks)
    {
        final PlacementBatch batch = new PlacementBatch(ranks, MAX_ACTIVE);
        int room = 0;
        for (int rank = 0; rank < ranks; rank++)
        {
            final boolean lost = random.nextInt(8) == 0;
            final int active = lost ? 0 : random.nextInt(MAX_ACTIVE + 1);
            batch.rank(rank, active, lost);
            for (final RankFigure figure : RankFigure.values())
            {
                batch.figure(rank, figure, active * (long)random.nextInt(1000));
            }
            room += lost ? 0 : MAX_ACTIVE - active;
        }
        for (int i = random.nextInt(room + 1); i > 0; i--)
        {
            addRequest(batch, random);
        }
        return batch;
    }

    private static void addRequest(final PlacementBatch batch, final Random random)
    {
        final int tokens = random.nextInt(4) == 0 ? random.nextInt(2) : random.nextInt(1000);
        final int hint = random.nextInt(4) == 0 ? random.nextInt(batch.ranks() + 3) - 1 : PlacementBatch.NO_RANK;
        final int request = batch.add(random.nextLong(), random.nextInt(12) - 1, tokens, hint,
            Relax.values()[random.nextInt(Relax.values().length)]);
        final int head = random.nextInt(1 + Math.min(tokens, 4));
        batch.head(request, random.ints(4, 0, 3).toArray(), head);
        for (int rank = 0; rank < batch.ranks(); rank++)
        {
            batch.matchedTokens(request, rank, random.nextInt(3) == 0 ? random.nextInt(tokens + 1) : 0);
        }
    }

    private static DpRouter router(final Random random, final int ranks)
    {
        return Routers.random(Routers.any(random), random).router(ranks, random.nextInt(8) != 0);
    }

    @Property(tries = 2000)
    void everyAdmittedRequestIsPlacedOnceAndNoRankIsFilledBeyondItsCap(@ForAll final long seed)
    {
        final Random random = new Random(seed);
        final int ranks = 1 + random.nextInt(8);
        final DpRouter router = router(random, ranks);
        for (int round = 0; round < 3; round++)
        {
            final PlacementBatch batch = batch(random, ranks);
            final int[] before = new int[ranks];
            for (int rank = 0; rank < ranks; rank++)
            {
                before[rank] = batch.activeRequests(rank);
            }
            router.place(batch);
            assertPlaced(router, batch, before);
            for (int i = 0; i < batch.decisions(); i++)
            {
                before[batch.chosenRank(batch.decision(i))]++;
            }
            for (int rank = 0; rank < ranks; rank++)
            {
                assertEquals(before[rank], batch.activeRequests(rank), "each decision is another request");
                assertTrue(before[rank] <= MAX_ACTIVE, router.getClass() + " fills rank " + rank + " to " + before[rank]);
                assertTrue(before[rank] <= batch.target() || batch.target() == 0, "target " + batch.target());
            }
        }
    }

    /** A router places all requests. One that lets requests wait for busy ranks places at least one if a rank is idle. */
    private static void assertPlaced(final DpRouter router, final PlacementBatch batch, final int[] before)
    {
        boolean idle = false;
        for (int rank = 0; rank < before.length; rank++)
        {
            idle |= before[rank] == 0 && !batch.isLost(rank);
        }
        final int least = !router.keepsOrder() ? batch.count() : idle ? Math.min(1, batch.count()) : 0;
        assertTrue(batch.decisions() >= least && batch.decisions() <= batch.count(), router.getClass().toString());
    }

    @Property(tries = 1000)
    void theChosenRankHasTheBestScoreOfAllCandidates(@ForAll final long seed)
    {
        final Random random = new Random(seed);
        final int ranks = 1 + random.nextInt(8);
        final PlacementBatch batch = batch(random, ranks);
        // Above temperature 0 a rank is drawn.
        final RouterConfig config = Routers.with(Routers.random(Routers.any(random), random), "temperature", 0);
        config.router(ranks, random.nextInt(8) != 0).place(batch);
        for (int request = 0; request < batch.count(); request++)
        {
            final int chosen = batch.chosenRank(request);
            if (chosen == PlacementBatch.NO_RANK)
            {
                continue;
            }
            assertTrue(batch.isCandidate(request, chosen));
            for (int rank = 0; rank < ranks; rank++)
            {
                assertTrue(!batch.isCandidate(request, rank) || batch.score(request, chosen) <= batch.score(request, rank));
            }
        }
    }

    @Property(tries = 500)
    void theSameBatchesGiveTheSameDecisions(@ForAll final long seed)
    {
        final Random first = new Random(seed);
        final Random second = new Random(seed);
        final int ranks = 1 + first.nextInt(8);
        assertEquals(ranks, 1 + second.nextInt(8));
        final DpRouter one = router(first, ranks);
        final DpRouter other = router(second, ranks);
        for (int round = 0; round < 3; round++)
        {
            final PlacementBatch batch = batch(first, ranks);
            final PlacementBatch same = batch(second, ranks);
            one.place(batch);
            other.place(same);
            for (int i = 0; i < batch.decisions(); i++)
            {
                assertEquals(batch.decision(i), same.decision(i));
                assertEquals(batch.chosenRank(batch.decision(i)), same.chosenRank(same.decision(i)));
            }
            assertEquals(one.digest(), other.digest());
        }
    }

    @Property(tries = 2000)
    void withMoreRequestsThanRoomEveryRouterStillEndsAndLeavesNoRankIdle(@ForAll final long seed)
    {
        final Random random = new Random(seed);
        final int ranks = 1 + random.nextInt(3);
        final PlacementBatch batch = batch(random, ranks);
        for (int i = random.nextInt(30); i > 0; i--)
        {
            addRequest(batch, random);
        }
        router(random, ranks).place(batch);
        for (int rank = 0; rank < ranks; rank++)
        {
            assertTrue(batch.decisions() > 0 || batch.count() == 0 || batch.isLost(rank) || batch.activeRequests(rank) > 0);
        }
        int placed = 0;
        for (int request = 0; request < batch.count(); request++)
        {
            placed += batch.chosenRank(request) == PlacementBatch.NO_RANK ? 0 : 1;
        }
        assertEquals(placed, batch.decisions());
    }

    /** A single request on ranks that all have room, with two scores that a match or a load can turn. */
    private static PlacementBatch single(final Random random, final int ranks, final int[] matches, final long[] loads)
    {
        final PlacementBatch batch = new PlacementBatch(ranks, 64);
        batch.add(random.nextLong(), PlacementBatch.NO_CONVERSATION, 1000, PlacementBatch.NO_RANK, Relax.NO_PARAMETERS);
        for (int rank = 0; rank < ranks; rank++)
        {
            batch.rank(rank, 1, false);
            batch.figure(rank, RankFigure.PROMPT_TOKENS, loads[rank]);
            batch.figure(rank, RankFigure.UNCACHED_TOKENS, loads[rank]);
            batch.matchedTokens(0, rank, matches[rank]);
        }
        return batch;
    }

    @Property(tries = 1000)
    void aLongerMatchNeverLosesARequestAndMoreLoadNeverAttractsOne(@ForAll final long seed)
    {
        final Random random = new Random(seed);
        final int ranks = 2 + random.nextInt(6);
        final int[] matches = random.ints(ranks, 0, 1000).map(match -> match / 100 * 100).toArray();
        final long[] loads = random.longs(ranks, 0, 5).map(load -> load * 500).toArray();
        final long id = random.nextLong();
        final DpRouter router = random.nextBoolean() ?
            new KvAwarePrDpRouter(random.nextInt(4)) : new KvAwareDpRouter(ranks, random.nextInt(4), 0.1, 2.0, false);
        final PlacementBatch before = single(new Random(id), ranks, matches, loads);
        router.place(before);
        final int chosen = before.chosenRank(0);

        matches[chosen] += 1 + random.nextInt(100);
        final PlacementBatch longer = single(new Random(id), ranks, matches, loads);
        router.place(longer);
        assertEquals(chosen, longer.chosenRank(0), "the match of the chosen rank grew");

        final int other = (chosen + 1 + random.nextInt(ranks - 1)) % ranks;
        loads[other] += 1 + random.nextInt(5000);
        final PlacementBatch loaded = single(new Random(id), ranks, matches, loads);
        router.place(loaded);
        assertTrue(loaded.chosenRank(0) != other, "rank " + other + " got load, and the request");
    }
}
