// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

class DpRouterTest
{
    private static PlacementBatch batch(final int maxActive, final long... loads)
    {
        final PlacementBatch batch = new PlacementBatch(loads.length, maxActive);
        for (int rank = 0; rank < loads.length; rank++)
        {
            batch.rank(rank, loads[rank] == 0 ? 0 : 1, loads[rank], false);
        }
        return batch;
    }

    private static int[] chosen(final PlacementBatch batch)
    {
        final int[] chosen = new int[batch.count()];
        for (int i = 0; i < chosen.length; i++)
        {
            chosen[i] = batch.chosenRank(i);
        }
        return chosen;
    }

    @Test
    void shouldPlaceTheLongestPromptFirstOnTheLeastLoadedRank()
    {
        final PlacementBatch batch = batch(8, 0, 100, 50);
        batch.add(10, -1, false);
        batch.add(200, -1, false);
        batch.add(20, -1, false);
        new LoadBalancedDpRouter().place(batch);
        assertArrayEquals(
            new int[] {1, 0, 2}, chosen(batch), "200 to rank 0, 20 to rank 2, which is then at its fair share");
    }

    @Test
    void shouldBreakLoadTiesByFewerRequestsThenLowerRank()
    {
        final PlacementBatch batch = new PlacementBatch(3, 8);
        batch.rank(0, 3, 100, false);
        batch.rank(1, 1, 100, false);
        batch.rank(2, 1, 100, false);
        batch.add(10, -1, false);
        new LoadBalancedDpRouter().place(batch);
        assertEquals(1, batch.chosenRank(0));
        assertEquals(PlacementBatch.TieBreak.FEWEST_REQUESTS_THEN_LOWEST_RANK, batch.tieBreak(0));
    }

    @Test
    void shouldScoreEffectiveTokensPlusWeightedNormalisedLoad()
    {
        final PlacementBatch batch = batch(8, 300, 100);
        batch.add(200, -1, false);
        batch.matchedTokens(0, 0, 64);
        new KvAwareDpRouter(1.0).place(batch);
        assertEquals((200 - 64) + 300.0 / 400.0 * 200, batch.score(0, 0));
        assertEquals(200 + 100.0 / 400.0 * 200, batch.score(0, 1));
        assertEquals(1, batch.chosenRank(0), "load outweighs the match: 286 against 250");

        final PlacementBatch loadBlind = batch(8, 300, 100);
        loadBlind.add(200, -1, false);
        loadBlind.matchedTokens(0, 0, 64);
        new KvAwareDpRouter(0.0).place(loadBlind);
        assertEquals(0, loadBlind.chosenRank(0));
    }

    @Test
    void shouldNormaliseByThePromptWhereItExceedsTheSummedLoad()
    {
        final PlacementBatch batch = batch(8, 30, 10);
        batch.add(200, -1, false);
        new KvAwareDpRouter(2.0).place(batch);
        assertEquals(200 + 2.0 * (30.0 / 200.0 * 200), batch.score(0, 0));
        assertEquals(200 + 2.0 * (10.0 / 200.0 * 200), batch.score(0, 1));
    }

    @Test
    void shouldGiveKvAwareTiesToTheLowestRank()
    {
        final PlacementBatch batch = batch(8, 0, 0, 0);
        batch.add(10, -1, false);
        new KvAwareDpRouter(1.0).place(batch);
        assertEquals(0, batch.chosenRank(0));
        assertEquals(PlacementBatch.TieBreak.LOWEST_RANK, batch.tieBreak(0));
    }

    @Test
    void shouldSpreadABatchUnderTheFairTargetEvenWhenOneRankHoldsEveryPrefix()
    {
        final PlacementBatch batch = batch(64, 0, 0, 0, 0);
        for (int i = 0; i < 8; i++)
        {
            batch.add(100, -1, false);
            batch.matchedTokens(i, 2, 96);
        }
        new KvAwareDpRouter(0.0).place(batch);
        final int[] perRank = new int[4];
        for (final int rank : chosen(batch))
        {
            perRank[rank]++;
        }
        assertArrayEquals(new int[] {2, 2, 2, 2}, perRank);
    }

    @Test
    void shouldLeaveAStrictHintWithoutRoomUnplacedAndMoveARelaxedOne()
    {
        final PlacementBatch batch = new PlacementBatch(2, 1);
        batch.rank(0, 1, 10, false);
        batch.rank(1, 0, 0, false);
        batch.add(10, 0, false);
        batch.add(10, 0, true);
        new LoadBalancedDpRouter().place(batch);
        assertArrayEquals(new int[] {PlacementBatch.NO_RANK, 1}, chosen(batch));
    }

    @Test
    void shouldNeverChooseALostRank()
    {
        for (final DpRouter router : new DpRouter[] {new LoadBalancedDpRouter(), new KvAwareDpRouter(1.0)})
        {
            final PlacementBatch batch = new PlacementBatch(3, 8);
            batch.rank(0, 0, 0, true);
            batch.rank(1, 2, 500, false);
            batch.rank(2, 0, 0, true);
            batch.add(10, -1, false);
            router.place(batch);
            assertEquals(1, batch.chosenRank(0));
            assertFalse(batch.isCandidate(0, 0));
        }
    }
}
