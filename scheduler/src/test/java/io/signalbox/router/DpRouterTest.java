// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import io.signalbox.router.trtllm.DefaultDpRouter;
import io.signalbox.router.trtllm.KvAwarePrDpRouter;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

class DpRouterTest
{
    private static void rank(
        final PlacementBatch batch, final int rank, final int active, final long load, final boolean lost)
    {
        batch.rank(rank, active, lost);
        batch.figure(rank, RankFigure.PROMPT_TOKENS, load);
        batch.figure(rank, RankFigure.UNCACHED_TOKENS, load);
    }

    private static PlacementBatch batch(final int maxActive, final long... loads)
    {
        final PlacementBatch batch = new PlacementBatch(loads.length, maxActive);
        for (int rank = 0; rank < loads.length; rank++)
        {
            rank(batch, rank, loads[rank] == 0 ? 0 : 1, loads[rank], false);
        }
        return batch;
    }

    private static int add(final PlacementBatch batch, final int tokens)
    {
        return batch.add(batch.count(), PlacementBatch.NO_CONVERSATION, tokens, -1, Relax.NO_PARAMETERS);
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

    private static DpRouter byDefault()
    {
        return new DefaultDpRouter();
    }

    @Test
    void shouldPlaceTheLongestPromptFirstOnTheLeastLoadedRank()
    {
        final PlacementBatch batch = batch(8, 0, 100, 50);
        add(batch, 10);
        add(batch, 200);
        add(batch, 20);
        byDefault().place(batch);
        assertArrayEquals(
            new int[] {1, 0, 2}, chosen(batch), "200 to rank 0, 20 to rank 2, which is then at its fair share");
        assertEquals(3, batch.decisions());
        assertEquals(1, batch.decision(0), "the longest was decided first");
        assertEquals(2, batch.target());
    }

    @Test
    void shouldBreakLoadTiesByFewerRequestsThenLowerRank()
    {
        final PlacementBatch batch = new PlacementBatch(3, 8);
        rank(batch, 0, 3, 100, false);
        rank(batch, 1, 1, 100, false);
        rank(batch, 2, 1, 100, false);
        add(batch, 10);
        byDefault().place(batch);
        assertEquals(1, batch.chosenRank(0));
        assertEquals(TieRule.FEWEST_REQUESTS_THEN_LOWEST_RANK, batch.tieRule(0));
    }

    @Test
    void shouldScoreNewWorkPlusWeightedNormalisedLoad()
    {
        final PlacementBatch batch = batch(8, 300, 100);
        add(batch, 200);
        batch.matchedTokens(0, 0, 64);
        new KvAwarePrDpRouter(1.0).place(batch);
        assertEquals((200 - 64) + 300.0 / 400.0 * 200, batch.score(0, 0));
        assertEquals(200 - 64, batch.newWork(0, 0));
        assertEquals(300.0 / 400.0 * 200, batch.loadTerm(0, 0));
        assertEquals(400, batch.normaliser(0));
        assertEquals(200 + 100.0 / 400.0 * 200, batch.score(0, 1));
        assertEquals(1, batch.chosenRank(0), "load outweighs the match: 286 against 250");

        final PlacementBatch loadBlind = batch(8, 300, 100);
        add(loadBlind, 200);
        loadBlind.matchedTokens(0, 0, 64);
        new KvAwarePrDpRouter(0.0).place(loadBlind);
        assertEquals(0, loadBlind.chosenRank(0));
    }

    @Test
    void shouldNormaliseByThePromptWhereItExceedsTheSummedLoad()
    {
        final PlacementBatch batch = batch(8, 30, 10);
        add(batch, 200);
        new KvAwarePrDpRouter(2.0).place(batch);
        assertEquals(200 + 2.0 * (30.0 / 200.0 * 200), batch.score(0, 0));
        assertEquals(200 + 2.0 * (10.0 / 200.0 * 200), batch.score(0, 1));
    }

    @Test
    void shouldGiveTiesOfTheFirstVersionToTheLowestRank()
    {
        final PlacementBatch batch = batch(8, 0, 0, 0);
        add(batch, 10);
        new KvAwarePrDpRouter(1.0).place(batch);
        assertEquals(0, batch.chosenRank(0));
        assertEquals(TieRule.LOWEST_RANK, batch.tieRule(0));
    }

    @Test
    void shouldSpreadABatchUnderTheFairTargetEvenWhenOneRankHoldsEveryPrefix()
    {
        final PlacementBatch batch = batch(64, 0, 0, 0, 0);
        for (int i = 0; i < 8; i++)
        {
            add(batch, 100);
            batch.matchedTokens(i, 2, 96);
        }
        new KvAwarePrDpRouter(0.0).place(batch);
        final int[] perRank = new int[4];
        for (final int rank : chosen(batch))
        {
            perRank[rank]++;
        }
        assertArrayEquals(new int[] {2, 2, 2, 2}, perRank);
    }

    @Test
    void shouldMoveARequestWhoseHintIsFull()
    {
        final PlacementBatch batch = new PlacementBatch(2, 1);
        rank(batch, 0, 1, 10, false);
        rank(batch, 1, 0, 0, false);
        batch.add(1, PlacementBatch.NO_CONVERSATION, 10, 0, Relax.RELAXED);
        byDefault().place(batch);
        assertArrayEquals(new int[] {1}, chosen(batch));
    }

    @Test
    void shouldNeverChooseALostRank()
    {
        for (final DpRouterProvider provider : Routers.all())
        {
            final DpRouter router =
                Routers.with(RouterConfig.of(provider), "coldStartWarmup", true).router(3, true);
            final PlacementBatch batch = new PlacementBatch(3, 8);
            rank(batch, 0, 0, 0, true);
            rank(batch, 1, 2, 500, false);
            batch.figure(1, RankFigure.FREE_TOKENS, 1000);
            rank(batch, 2, 0, 0, true);
            add(batch, 10);
            router.place(batch);
            assertEquals(1, batch.chosenRank(0), provider.label());
            assertFalse(batch.isCandidate(0, 0));
        }
    }
}
