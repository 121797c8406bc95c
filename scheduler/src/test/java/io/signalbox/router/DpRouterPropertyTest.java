// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class DpRouterPropertyTest
{
    private static PlacementBatch batch(final long seed, final int maxActive)
    {
        final Random random = new Random(seed);
        final int ranks = 1 + random.nextInt(8);
        final PlacementBatch batch = new PlacementBatch(ranks, maxActive);
        for (int rank = 0; rank < ranks; rank++)
        {
            final int active = random.nextInt(maxActive + 1);
            batch.rank(rank, active, active * (long)random.nextInt(1000), false);
        }
        for (int i = random.nextInt(20); i >= 0; i--)
        {
            final int tokens = 1 + random.nextInt(1000);
            final int request = batch.add(tokens, random.nextInt(4) == 0 ? random.nextInt(ranks) : -1, random.nextBoolean());
            for (int rank = 0; rank < ranks; rank++)
            {
                batch.matchedTokens(request, rank, random.nextInt(tokens));
            }
        }
        return batch;
    }

    private static DpRouter router(final long seed)
    {
        return (seed & 1) == 0 ? new LoadBalancedDpRouter() : new KvAwareDpRouter(new Random(seed).nextDouble() * 4);
    }

    @Property(tries = 1000)
    void noRankIsFilledBeyondItsRoomAndTheFreeOnesAreUsed(@ForAll final long seed)
    {
        final PlacementBatch batch = batch(seed, 6);
        router(seed).place(batch);
        boolean full = true;
        for (int rank = 0; rank < batch.ranks(); rank++)
        {
            assertTrue(batch.activeRequests(rank) <= 6);
            full &= batch.activeRequests(rank) == 6;
        }
        for (int request = 0; request < batch.count(); request++)
        {
            final boolean bound = batch.rankHint(request) >= 0 && !batch.hintRelaxed(request);
            assertTrue(batch.chosenRank(request) != PlacementBatch.NO_RANK || bound || full,
                "request " + request + " is left out although a rank has room");
        }
    }

    @Property(tries = 1000)
    void theChosenRankHasTheBestScoreOfAllCandidates(@ForAll final long seed)
    {
        final PlacementBatch batch = batch(seed, 6);
        router(seed).place(batch);
        for (int request = 0; request < batch.count(); request++)
        {
            final int chosen = batch.chosenRank(request);
            for (int rank = 0; chosen != PlacementBatch.NO_RANK && rank < batch.ranks(); rank++)
            {
                assertTrue(!batch.isCandidate(request, rank) || batch.score(request, chosen) <= batch.score(request, rank));
            }
        }
    }

    @Property(tries = 500)
    void theSameBatchGivesTheSameDecisions(@ForAll final long seed)
    {
        final PlacementBatch first = batch(seed, 4);
        final PlacementBatch second = batch(seed, 4);
        router(seed).place(first);
        router(seed).place(second);
        for (int request = 0; request < first.count(); request++)
        {
            assertEquals(first.chosenRank(request), second.chosenRank(request));
        }
    }
}
