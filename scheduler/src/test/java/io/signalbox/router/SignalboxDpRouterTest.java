// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import io.signalbox.config.Setting;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SignalboxDpRouterTest
{
    private static final RouterConfig PLAIN = weights(0, 0, 0, 1, 0, 1000);

    private static RouterConfig weights(
        final double row,
        final double context,
        final double decode,
        final double reuse,
        final double cached,
        final double backlog)
    {
        return RouterConfig.standard().with("rowWeight", row).with("contextWeight", context).with("decodeWeight", decode)
            .with("reuseWeight", reuse).with("cachedWeight", cached).with("backlog", backlog);
    }

    private static int chosen(final RouterConfig weights, final Ranks ranks)
    {
        return ranks.placedBy(weights.router(2, true)).chosenRank(0);
    }

    @Test
    void shouldAddTheWaitAndTwiceTheNewWork()
    {
        final PlacementBatch batch = Ranks.of(2).rank(1, 300, 0).rank(1, 10, 0).request(1, 400, 250, 0)
            .placedBy(PLAIN.router(2, true));
        assertEquals(300 + 150 + 150.0, batch.score(0, 0));
        assertEquals(10 + 400 + 400.0, batch.score(0, 1));
        assertEquals(0, batch.chosenRank(0));
    }

    @Test
    void shouldCountWhatDecodingSlowsDown()
    {
        final RouterConfig weights = weights(0.01, 0.001, 50, 0, 0, 1000);
        final PlacementBatch batch = Ranks.of(1).rank(10, 100, 200).request(1, 40).placedBy(weights.router(2, true));
        assertEquals(140 * 1.3 + 50 * 0.3, batch.score(0, 0), 1e-9);
    }

    @Test
    void shouldTellRanksApartByDecodingWhereNothingIsPending()
    {
        final Ranks conversationAtHome = Ranks.of(2).rank(60, 0, 900_000).rank(2, 0, 10_000).request(1, 500, 400, 0);
        assertEquals(1, chosen(RouterConfig.standard(), conversationAtHome), "a short prompt is soon computed elsewhere");
    }

    @Test
    void shouldLetRequestsWaitInTheirOrderWhileEveryRankIsBusy()
    {
        final Ranks ranks = Ranks.of(2).rank(1, 1000, 0).rank(1, 999, 0).request(1, 5000).request(2, 1).request(3, 1);
        assertArrayEquals(new int[] {1, -1, -1}, Ranks.chosen(ranks.placedBy(PLAIN.router(2, true))),
            "one more was taken below the backlog; what follows waits behind it");
    }

    @Test
    void shouldNotPlaceWhereTheBlocksOfTheRequestHaveNoRoom()
    {
        final Ranks ranks = Ranks.of(2).rank(1, 100, 0).rank(1, 900, 0).request(1, 500);
        ranks.batch().figure(0, RankFigure.FREE_TOKENS, 599);
        assertEquals(1, chosen(PLAIN, ranks));
        final Ranks withRoom = Ranks.of(2).rank(1, 100, 0).rank(1, 900, 0).request(1, 500);
        withRoom.batch().figure(0, RankFigure.FREE_TOKENS, 600);
        assertEquals(0, chosen(PLAIN, withRoom));
    }

    @Test
    void shouldNotLookUpTheMatchesOfWhatHasToWait()
    {
        final List<Integer> probed = new ArrayList<>();
        final Ranks ranks = Ranks.of(2).rank(1, 1000, 0).rank(1, 900, 0);
        ranks.batch().probeBy(request ->
        {
            probed.add(request);
            ranks.batch().matchedTokens(request, 1, 64);
        });
        final PlacementBatch batch =
            ranks.request(1, 5000).request(2, 50).request(3, 50).placedBy(PLAIN.router(2, true));
        assertArrayEquals(new int[] {1, -1, -1}, Ranks.chosen(batch));
        assertEquals(List.of(0), probed, "2 waits, since both ranks are busy by now, and 3 behind it");
        assertEquals(64, batch.matchUsed(0, 1));
    }

    @Test
    void shouldGiveANumberUnderTheLargestWeightsAndLoads()
    {
        final double most = Setting.MAX_WEIGHT;
        for (final double weight : new double[] {0, most})
        {
            final RouterConfig weights = weights(most, most, weight, most, most, 1);
            final PlacementBatch batch = Ranks.of(2).rank(500, 0, 1L << 47).rank(0, 1L << 47, 1L << 47)
                .request(1, Integer.MAX_VALUE).placedBy(weights.router(2, true));
            assertTrue(Double.isFinite(batch.score(0, 0)));
            assertTrue(Double.isFinite(batch.score(0, 1)));
        }
    }

    @Test
    void shouldAlwaysGiveAnIdleRankSomethingToDo()
    {
        final Ranks ranks = Ranks.of(1).rank(0, 0, 0).request(1, 5000);
        ranks.batch().figure(0, RankFigure.FREE_TOKENS, 1);
        assertEquals(0, chosen(weights(0, 0, 0, 1, 0, 0), ranks));
    }

    @Test
    void shouldSendANewConversationWhereLeastIsCachedAndAnOldOneToItsOwn()
    {
        final RouterConfig spreading = weights(0, 0, 0, 1, 0.001, 1000);
        final Ranks ranks = Ranks.of(2).rank(0, 0, 0).rank(0, 0, 0).request(1, 300, 0, 0);
        ranks.batch().figure(0, RankFigure.CACHED_TOKENS, 5000);
        ranks.batch().figure(1, RankFigure.CACHED_TOKENS, 4000);
        assertEquals(1, chosen(spreading, ranks));

        final Ranks later = Ranks.of(2).rank(0, 0, 0).rank(0, 0, 0).request(1, 300, 200, 0);
        later.batch().figure(0, RankFigure.CACHED_TOKENS, 5000);
        assertEquals(0, chosen(spreading, later));
    }

    @Test
    void shouldChargeCachedTokensThatAnIdleRankWithAnEmptyCacheWouldSpare()
    {
        final RouterConfig weights = weights(0, 0, 0, 1, 0, 1000).with("evictionWeight", 4);
        final Ranks ranks = Ranks.of(3).rank(0, 0, 0).cache(0, 4000).rank(0, 0, 0).cache(1000, 1000)
            .rank(0, 0, 0).cache(4000, 0).request(1, 1500, 500, 500, 0);
        final PlacementBatch batch = ranks.placedBy(weights.router(3, true));
        assertEquals(2 * 1000 + 4 * 1000, batch.score(0, 0), "all 1,000 new tokens replace cached ones");
        assertEquals(2 * 1000, batch.score(0, 1), "the blocks that are free suffice");
        assertEquals(2 * 1500, batch.score(0, 2));
        assertArrayEquals(new int[] {1000, 0, 0},
            new int[] {batch.evictedTokens(0, 0), batch.evictedTokens(0, 1), batch.evictedTokens(0, 2)});
        assertEquals(1, batch.chosenRank(0));
    }

    @Test
    void shouldChargeLessTheFullerTheOtherCacheAndNothingIfItIsBusy()
    {
        final RouterConfig weights = weights(0, 0, 0, 1, 0, 1000).with("evictionWeight", 4);
        final Ranks half = Ranks.of(2).rank(0, 0, 0).cache(0, 4000).rank(0, 0, 0).cache(2000, 2000).request(1, 1000);
        assertEquals(2 * 1000 + 4 * 1000 / 2, half.placedBy(weights.router(2, true)).score(0, 0));
        final Ranks busy = Ranks.of(2).rank(0, 0, 0).cache(0, 4000).rank(1, 1, 0).cache(4000, 0).request(1, 1000);
        assertEquals(2 * 1000, busy.placedBy(weights.router(2, true)).score(0, 0));
    }

    @Test
    void shouldCountTheUnusedBlocksThatEarlierRequestsOfTheBatchWillTake()
    {
        final RouterConfig weights = weights(0, 0, 0, 0, 0, 1E9).with("evictionWeight", 4);
        final PlacementBatch batch = Ranks.of(2).rank(0, 0, 0).cache(1500, 2500).rank(1, 9000, 0).cache(4000, 0)
            .request(1, 1000).request(2, 1000).placedBy(weights.router(2, true));
        assertEquals(0, batch.evictedTokens(0, 0));
        assertEquals(0, batch.evictedTokens(1, 0), "no idle rank would spare them");
        final PlacementBatch spared = Ranks.of(3).rank(0, 0, 0).cache(1500, 2500).rank(1, 9000, 0).cache(4000, 0)
            .rank(0, 0, 0).cache(4000, 0).request(1, 1000, 1000, 0, 0).request(2, 2000).placedBy(weights.router(3, true));
        assertEquals(0, spared.chosenRank(0));
        assertEquals(500, spared.evictedTokens(1, 0));
    }

    @Test
    void shouldPlaceAShortPromptBesideALongOneButNoSecondLongOne()
    {
        final Ranks ranks = Ranks.of(1).rank(1, 50_000, 0).longPrefills(100, 1, 49_900)
            .request(1, 101).request(2, 100).request(3, 500).request(4, 50);
        final PlacementBatch batch = ranks.placedBy(PLAIN.router(1, true));
        assertArrayEquals(new int[] {-1, 0, -1, 0}, Ranks.chosen(batch), "the long ones wait, and the short ones pass them");
        assertEquals(49_900, batch.deferredTokens(1, 0));
        assertEquals(100 + 2 * 100, batch.score(1, 0), "it waits for one chunk of the long prompt");
    }

    @Test
    void shouldPlaceAsManyLongPromptsAsAStepComputes()
    {
        final Ranks ranks = Ranks.of(1).rank(1, 50_000, 0).longPrefills(100, 2, 49_900)
            .request(1, 101).request(2, 5000).request(3, 20);
        assertArrayEquals(new int[] {0, -1, 0}, Ranks.chosen(ranks.placedBy(PLAIN.router(1, true))));
    }

    @Test
    void shouldLetAShortPromptWaitForOtherShortOnes()
    {
        final Ranks ranks = Ranks.of(1).rank(9, 50_950, 0).longPrefills(100, 1, 49_900).request(1, 100).request(2, 10);
        assertArrayEquals(new int[] {-1, -1}, Ranks.chosen(ranks.placedBy(PLAIN.router(1, true))));
    }
}
