// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Known defects of the original routers: some are kept because recordings have them, the others are not. */
class RouterDefectTest
{
    private static PlacementBatch batch(final int ranks, final int maxActive)
    {
        return batch(ranks, maxActive, 0);
    }

    private static PlacementBatch batch(final int ranks, final int maxActive, final int active)
    {
        final PlacementBatch batch = new PlacementBatch(ranks, maxActive);
        for (int rank = 0; rank < ranks; rank++)
        {
            batch.rank(rank, active, false);
        }
        return batch;
    }

    private static int add(final PlacementBatch batch, final int tokens, final int hint, final Relax relax)
    {
        return batch.add(batch.count() + 1, PlacementBatch.NO_CONVERSATION, tokens, hint, relax);
    }

    private static DpRouter router(final String label, final int ranks)
    {
        return Routers.of(label, ranks);
    }

    /** One request of 1,000 tokens is placed on its hint; does the next one see it? */
    private static int rankBesideAHintedRequest(final DpRouter router)
    {
        final PlacementBatch batch = batch(2, 8, 1);
        add(batch, 1000, 0, Relax.STRICT);
        final int next = add(batch, 10, PlacementBatch.NO_RANK, Relax.NO_PARAMETERS);
        batch.matchedTokens(next, 0, 1);
        router.place(batch);
        return batch.chosenRank(next);
    }

    @Test
    void shouldShowThatTheFirstVersionIsBlindToTheLoadOfHintedRequests()
    {
        final PlacementBatch batch = batch(2, 8, 1);
        add(batch, 1000, 0, Relax.STRICT);
        router("kv-aware-pr", 2).place(batch);
        assertEquals(0, batch.loadTokens(0), "as recorded in edge-kv_aware-explicit-load-blind");
    }

    @Test
    void shouldCountHintedRequestsAsLoadInTheLaterVersion()
    {
        final PlacementBatch batch = batch(2, 8, 1);
        final int hinted = add(batch, 1000, 0, Relax.STRICT);
        batch.matchedTokens(hinted, 0, 400);
        router("kv-aware", 2).place(batch);
        assertEquals(600, batch.loadTokens(0), "what was not cached");
        assertEquals(1, rankBesideAHintedRequest(router("kv-aware", 2)), "a match of a tenth does not count");
    }

    @ParameterizedTest
    @MethodSource("io.signalbox.router.Routers#all")
    void shouldPlaceAnEmptyPromptOnAnIdleSystem(final DpRouterProvider provider)
    {
        final PlacementBatch batch = batch(2, 8);
        add(batch, 0, PlacementBatch.NO_RANK, Relax.NO_PARAMETERS);
        Routers.of(provider, 2).place(batch);
        assertEquals(1, batch.decisions());
        assertTrue(Double.isFinite(batch.score(0, batch.chosenRank(0))));
    }

    @ParameterizedTest
    @MethodSource("io.signalbox.router.Routers#all")
    void shouldOrderRequestsThatLeaveRelaxOpenBehindStrictOnes(final DpRouterProvider provider)
    {
        final PlacementBatch batch = batch(1, 8);
        add(batch, 10, 0, Relax.UNSTATED);
        add(batch, 10, 0, Relax.UNSTATED);
        add(batch, 10, 0, Relax.STRICT);
        Routers.of(provider, 1).place(batch);
        assertArrayEquals(new int[] {2, 0, 1}, new int[] {batch.decision(0), batch.decision(1), batch.decision(2)});
    }

    @Test
    void shouldLeaveWhatDoesNotFitInsteadOfFailingOrDroppingIt()
    {
        for (final String label : new String[] {"default", "kv-aware"})
        {
            final PlacementBatch batch = batch(2, 1);
            for (int i = 0; i < 3; i++)
            {
                add(batch, 10 + i, PlacementBatch.NO_RANK, Relax.NO_PARAMETERS);
            }
            router(label, 2).place(batch);
            assertEquals(2, batch.decisions(), label);
        }
    }

    @ParameterizedTest
    @MethodSource("io.signalbox.router.Routers#all")
    void shouldLeaveEverythingWhereEveryRankIsLost(final DpRouterProvider provider)
    {
        final PlacementBatch batch = batch(2, 4);
        batch.rank(0, 0, true);
        batch.rank(1, 0, true);
        add(batch, 10, 1, Relax.STRICT);
        add(batch, 0, PlacementBatch.NO_RANK, Relax.NO_PARAMETERS);
        Routers.of(provider, 2).place(batch);
        assertEquals(0, batch.decisions());
    }

    @Test
    void shouldIgnoreAHintToARankThatDoesNotExist()
    {
        final PlacementBatch batch = batch(2, 4);
        add(batch, 10, 2, Relax.STRICT);
        add(batch, 10, Integer.MAX_VALUE, Relax.STRICT);
        router("default", 2).place(batch);
        assertEquals(2, batch.decisions());
    }

    @Test
    void shouldGiveEveryRankAFirstRequestWhereWarmUpIsOn()
    {
        final DpRouter router = RouterConfig.of("kv-aware").with("coldStartWarmup", true).router(3, true);
        final PlacementBatch batch = batch(3, 8);
        for (int i = 0; i < 4; i++)
        {
            batch.matchedTokens(add(batch, 100, PlacementBatch.NO_RANK, Relax.NO_PARAMETERS), 2, 96);
        }
        final long cold = router.digest();
        router.place(batch);
        for (int rank = 0; rank < 3; rank++)
        {
            assertEquals(rank, batch.chosenRank(rank));
            assertEquals(TieRule.WARM_UP, batch.tieRule(rank));
        }
        assertEquals(2, batch.chosenRank(3), "warm now: the match decides");
        assertTrue(cold != 0 && router.digest() == 0);
    }
}
