// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router.published;

import io.signalbox.event.codec.TieRule;
import io.signalbox.router.DpRouter;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.Ranks;
import io.signalbox.router.trtllm.KvAwarePrDpRouter;
import io.signalbox.router.trtllm.KvAwareRawDpRouter;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The published formulas, computed by hand. */
class KnownPoliciesTest
{
    @Test
    void shouldTakeRanksInTurnAcrossBatchesAndPassOverFullOnes()
    {
        final DpRouter router = new RoundRobinDpRouter();
        assertArrayEquals(new int[] {0, 1}, Ranks.chosen(Ranks.of(3).request(1, 9).request(2, 9).placedBy(router)));
        assertEquals(2, router.digest(), "the next rank is what it remembers");
        assertArrayEquals(new int[] {2, 1, 2},
            Ranks.chosen(Ranks.of(3).rank(1000, 0, 0).request(3, 9).request(4, 9).request(5, 9).placedBy(router)));
    }

    @Test
    void shouldGoToTheFewestRequestsAndThenToTheLeastPendingTokens()
    {
        final DpRouter router = new LeastLoadedDpRouter();
        assertEquals(1,
            Ranks.of(3).rank(2, 0, 0).rank(1, 900, 0).rank(3, 0, 0).request(1, 10).placedBy(router).chosenRank(0));
        assertEquals(2,
            Ranks.of(3).rank(2, 0, 0).rank(1, 900, 0).rank(1, 800, 0).request(1, 10).placedBy(router).chosenRank(0));
    }

    @Test
    void shouldMultiplyNewWorkByRequestsAndOne()
    {
        final PlacementBatch batch =
            Ranks.of(2).rank(3, 0, 0).rank(1, 0, 0).request(1, 100, 60, 10).placedBy(new LMetricDpRouter());
        assertEquals(40.0 * 4, batch.score(0, 0));
        assertEquals(90.0 * 2, batch.score(0, 1));
        assertEquals(0, batch.chosenRank(0));
    }

    @Test
    void shouldMinimiseThePrefillWorkThatResults()
    {
        final PlacementBatch batch =
            Ranks.of(2).rank(9, 100, 0).rank(1, 60, 0).request(1, 100, 70, 0).placedBy(new MinMaxDpRouter());
        assertEquals(130.0, batch.score(0, 0));
        assertEquals(160.0, batch.score(0, 1));
        assertEquals(0, batch.chosenRank(0));
    }

    @Test
    void shouldChargeContextAndCreditOverlapAsDynamoDoes()
    {
        final PlacementBatch batch = Ranks.of(2).rank(1, 50, 400).rank(1, 0, 300).request(1, 100, 80, 0).request(2, 100)
            .placedBy(new DynamoCostDpRouter(2.0, 0.0, 1, 2));
        assertEquals(0.0 + 500, batch.score(0, 0), "50 + 100 - 2 x 80 is below 0");
        assertEquals(100.0 + 400, batch.score(0, 1));
        assertEquals(TieRule.LEAST_LOAD, batch.tieRule(0));
        assertEquals(1, batch.chosenRank(0), "less is pending there");
        assertEquals(150.0 + 500, batch.score(1, 0));
        assertEquals(200.0 + 500, batch.score(1, 1), "the first request is pending, and its context will be held");
    }

    @Test
    void shouldDrawByCostAboveTemperatureZeroAndTheSameForTheSameSeed()
    {
        final int[] count = new int[3];
        for (int id = 0; id < 3000; id++)
        {
            final int chosen = drawn(id, 0.5, 7);
            assertEquals(chosen, drawn(id, 0.5, 7));
            count[chosen]++;
        }
        // Costs 0, 1/2 and 1 of the span: weights 1, e^-1 and e^-2, together 1.503.
        assertEquals(3000 / 1.503, count[0], 120);
        assertEquals(3000 * 0.368 / 1.503, count[1], 120);
        assertTrue(count[0] + count[1] < 3000);
        assertEquals(0, drawn(1, 1e-9, 7), "next to no temperature leaves the best");
    }

    private static int drawn(final long id, final double temperature, final long seed)
    {
        return Ranks.of(3).rank(1, 0, 0).rank(1, 100, 0).rank(1, 200, 0).request(id, 50)
            .placedBy(new DynamoCostDpRouter(1.0, temperature, seed, 3)).chosenRank(0);
    }

    @Test
    void shouldFollowLongMatchesUntilTheQueuesAreOutOfBalance()
    {
        final DpRouter router = new SglangCacheAwareDpRouter(0.5, 4, 2.0);
        assertEquals(0, Ranks.of(2).rank(4, 0, 0).rank(0, 0, 0).request(1, 100, 51, 0).placedBy(router).chosenRank(0));
        assertEquals(1, Ranks.of(2).rank(4, 0, 0).rank(0, 0, 0).request(1, 100, 50, 0).placedBy(router).chosenRank(0),
            "half is not more than half");
        assertEquals(1, Ranks.of(2).rank(5, 0, 0).rank(0, 0, 0).request(1, 100, 99, 0).placedBy(router).chosenRank(0),
            "five more than none");
        assertEquals(0, Ranks.of(2).rank(15, 0, 0).rank(8, 0, 0).request(1, 100, 99, 0).placedBy(router).chosenRank(0),
            "not twice as many");
    }

    /** A rank that serves a shared prefix is charged for it repeatedly, until requests are sent away from their cache. */
    @Test
    void shouldAvoidTheCachedRankWhereLoadIsRaw()
    {
        assertEquals(1, rankOfTheNextOne(new KvAwareRawDpRouter(1.0)), "away from a match of four fifths");
        assertEquals(0, rankOfTheNextOne(new KvAwarePrDpRouter(1.0)), "net of hits, it stays");
    }

    private static int rankOfTheNextOne(final DpRouter router)
    {
        final Ranks ranks = Ranks.of(2).rank(0, 0, 0).rank(0, 0, 0);
        for (int id = 1; id <= 8; id++)
        {
            ranks.request(id, 1000, 800, 0);
        }
        final PlacementBatch batch = ranks.placedBy(router);
        int elsewhere = 0;
        for (int i = 0; i < 4; i++)
        {
            elsewhere |= batch.chosenRank(i);
        }
        return elsewhere;
    }
}
