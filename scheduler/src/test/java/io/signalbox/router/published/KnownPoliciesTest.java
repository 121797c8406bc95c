// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router.published;

import io.signalbox.ConfigException;
import io.signalbox.router.DpRouter;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.PlacementBatchWriter;
import io.signalbox.router.Ranks;
import io.signalbox.router.Relax;
import io.signalbox.router.RouterConfig;
import io.signalbox.router.Routers;
import io.signalbox.router.TieRule;
import io.signalbox.router.trtllm.KvAwarePrDpRouter;
import io.signalbox.router.trtllm.KvAwareRawDpRouter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
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
            .placedBy(new DynamoCostDpRouter(new DynamoCostDpRouter.Weights(2, 0, 1, 0), 0.0, 1, 2));
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
            .placedBy(new DynamoCostDpRouter(new DynamoCostDpRouter.Weights(1, 0, 1, 0), temperature, seed, 3))
            .chosenRank(0);
    }

    @Test
    void shouldDecayTheCreditOfABusyRankAndScaleThePrefill()
    {
        final DpRouter router =
            new DynamoCostDpRouter(new DynamoCostDpRouter.Weights(2, 0.5, 4, 1024), 0, 0, 2);
        final PlacementBatch batch =
            Ranks.of(2).rank(3, 300, 400).rank(1, 100, 200).request(1, 100, 60, 40).placedBy(router);
        assertEquals(4 * (400 - 2 * 60 / (1 + 0.5 * 200 / 100)) + 400 + 100 + 3 * 1024, batch.score(0, 0),
            "200 tokens more than the least pending rank, for a prompt of 100");
        assertEquals(4 * (200 - 2 * 40) + 200 + 100 + 1024, batch.score(0, 1));
    }

    /** The same costs in blocks of 16 tokens, which is how Dynamo counts. */
    @Test
    void shouldHaveThePresetsOfDynamo()
    {
        final PlacementBatch agentic = Ranks.of(2).rank(1, 0, 1600).rank(0, 0, 0).request(1, 3200, 1600, 0)
            .placedBy(Routers.of("dynamo-agentic", 2));
        assertEquals(16 * (4 * Math.max(0, 200 - 2 * 100) + (100 + 200) + 64.0), agentic.score(0, 0));
        assertEquals(16 * (4 * 200 + 200.0), agentic.score(0, 1));
        assertEquals(0, agentic.chosenRank(0));
        assertEquals(1, Ranks.of(2).rank(1, 0, 1600).rank(0, 0, 0).request(1, 3200, 1600, 0)
            .placedBy(Routers.of("dynamo-load-aware", 2)).chosenRank(0), "matches have no credit");
    }

    @Test
    void shouldWeighBlocksAgainstLoadAsRamjetDoes()
    {
        assertEquals(0, ramjet("absolute", 7, 0, 40, 0, 0), "32 - 28 is above 0");
        assertEquals(1, ramjet("absolute", 9, 0, 40, 0, 0));
        assertEquals(0, ramjet("absolute", 1, 0, 90, 2, 100));
        assertEquals(1, ramjet("relative", 1, 0, 90, 2, 100));
        assertEquals(0, ramjet("absolute", 0, 0, 40, 1, 48));
        assertEquals(1, ramjet("marginal", 0, 0, 40, 1, 48));
        assertEquals(1, ramjet("absolute", 1, 16_384, 10, 0, 0), "10 - 4 x (1 + 2) is below 0");
    }

    /** The score is the load term plus the affinity; uncached tokens are not in it. */
    @Test
    void shouldRecordTheTermsOfTheScoreAsRamjetWeighsThem()
    {
        final PlacementBatch batch = Ranks.of(2).rank(3, 16_384, 0).rank(0, 0, 0).request(1, 51_200, 512 * 7, 0)
            .placedBy(RouterConfig.of("ramjet").with("loadWeight", "2").router(2, true));
        assertEquals(0.0, batch.newWork(0, 0));
        assertEquals(2 * (3 + 2.0), batch.loadTerm(0, 0));
        assertEquals(-7.0, batch.score(0, 0) - batch.newWork(0, 0) - batch.loadTerm(0, 0));
    }

    private static int ramjet(
        final String basis, final int active, final long pending, final int blocks, final int others, final int otherBlocks)
    {
        return Ranks.of(2).rank(active, pending, 0).rank(others, 0, 0)
            .request(1, 128 * 512, blocks * 512, otherBlocks * 512)
            .placedBy(RouterConfig.of("ramjet").with("basis", basis).router(2, true)).chosenRank(0);
    }

    @Test
    void shouldCompareMatchesWithTheBestOtherRankIfMarginal()
    {
        final PlacementBatch batch = Ranks.of(3).request(1, 51_200, 512 * 40, 512 * 48, 512 * 48)
            .placedBy(RouterConfig.of("ramjet").with("basis", "marginal").router(3, true));
        assertEquals(0, batch.matchUsed(0, 1), "another rank has as many");
        assertEquals(0, batch.score(0, 2));
    }

    @Test
    void shouldTakeTurnsBetweenEqualRanksAsRamjetDoes()
    {
        final DpRouter router = Routers.of("ramjet", 3);
        for (int i = 0; i < 6; i++)
        {
            final PlacementBatch batch = Ranks.of(3).request(i, 9).placedBy(router);
            assertEquals(i % 3, batch.chosenRank(0));
            assertEquals(TieRule.ROUND_ROBIN, batch.tieRule(0));
        }
        assertEquals(0, router.digest());
    }

    @Test
    void shouldFollowTheLongestMatchOnlyIfLoadsAreLevelAsTwoTiersDo()
    {
        assertEquals(1, twoTier(0, 0, 6, 4));
        assertEquals(0, twoTier(0, 0, 5, 4), "half is not more than half");
        assertEquals(1, twoTier(0, 640, 10, 704), "704 is 1.1 times 640, and not more");
        assertEquals(0, twoTier(0, 640, 10, 705));
        assertEquals(1, Ranks.of(3).rank(9, 0, 0).rank(8, 0, 0).rank(0, 0, 0).request(1, 160, 112, 112, 96)
            .placedBy(Routers.of("two-tier", 3)).chosenRank(0), "the fewest requests of the two longest matches");
    }

    /** The score is the requests of the rank, and the penalty of a shorter match. */
    @Test
    void shouldRecordTheTermsOfTheScoreAsTwoTiersWeighThem()
    {
        final PlacementBatch batch = Ranks.of(2).rank(3, 0, 0).rank(2, 0, 0).request(1, 160, 112, 16)
            .placedBy(Routers.of("two-tier", 2));
        for (int rank = 0; rank < 2; rank++)
        {
            assertEquals(0.0, batch.newWork(0, rank));
            assertEquals(3.0 - rank, batch.loadTerm(0, rank));
            assertEquals(rank == 0 ? 0.0 : batch.maxActive(), batch.score(0, rank) - batch.loadTerm(0, rank));
        }
    }

    private static int twoTier(final int blocks, final int load, final int otherBlocks, final int otherLoad)
    {
        return Ranks.of(2).rank(load, 0, 0).rank(otherLoad, 0, 0).request(1, 160, 16 * blocks, 16 * otherBlocks)
            .placedBy(Routers.of("two-tier", 2)).chosenRank(0);
    }

    @Test
    void shouldWeighTheDecodeLoadByThePredictedOutputAsJsewDoes()
    {
        final DpRouter router = Routers.of("jsew", 2);
        router.ended(400);
        router.ended(500);
        final double average = 400 + 0.01737 * 100;
        final PlacementBatch batch =
            Ranks.of(2).rank(4, 0, 900).rank(2, 50, 1900).request(1, 100, 20, 0).placedBy(router);
        final double first = 1000 * StrictMath.pow(4, 0.13);
        final double second = 2000 * StrictMath.pow(2, 0.13);
        final double mean = (first + second) / 2;
        final double weight = 1.526 + 17.601 * average / 100;
        assertEquals(80 + weight * first * StrictMath.pow(first / mean, 0.2), batch.score(0, 0), 1e-6);
        assertEquals(150 + weight * second * StrictMath.pow(second / mean, 0.2), batch.score(0, 1), 1e-6);
        assertEquals(0, batch.chosenRank(0));
        assertEquals(Double.doubleToLongBits(average), router.digest());
    }

    @ParameterizedTest
    @ValueSource(doubles = {-1, Double.NaN, Double.POSITIVE_INFINITY})
    void shouldRefuseAnAverageThatNoAnswersHave(final double average)
    {
        final ByteBuffer snapshot = ByteBuffer.allocate(Double.BYTES).putDouble(average).flip();
        assertEquals("the router snapshot has an average of " + average + " output tokens; it is damaged.",
            assertThrows(ConfigException.class, () -> Routers.of("jsew", 2).restore(snapshot, 2)).getMessage());
    }

    @Test
    void shouldKnowTheOutputOfARequestIfJsewHasAnOracle()
    {
        final DpRouter router = RouterConfig.of("jsew").with("oracle", true).router(1, true);
        final PlacementBatchWriter writer = new PlacementBatchWriter(1, 8);
        writer.rank(0, 1, false);
        writer.maxNewTokens(writer.add(1, PlacementBatch.NO_CONVERSATION, 100, PlacementBatch.NO_RANK,
            Relax.NO_PARAMETERS), 300);
        router.place(writer.batch());
        assertEquals(100 + (1.526 + 17.601 * 3) * 100, writer.batch().score(0, 0), 1e-9);
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
