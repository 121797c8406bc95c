// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Placements of Signalbox's router if all ranks are idle and differ only in their caches. */
class IdleCachesPropertyTest
{
    /** Largest ratio of the tokens that prompts share to the own tokens of a prompt. */
    private static final int MOST_SHARED = 4;

    /** Idle ranks of the same pool; some have a full cache and the others an empty one. Returns the chosen rank. */
    private static int chosen(
        final RouterConfig config,
        final int ranks,
        final boolean[] full,
        final long pool,
        final int tokens,
        final int shared)
    {
        final Ranks idle = Ranks.of(ranks);
        final int[] matched = new int[ranks];
        for (int rank = 0; rank < ranks; rank++)
        {
            idle.rank(0, 0, 0).cache(full[rank] ? 0 : pool, full[rank] ? pool : 0);
            matched[rank] = full[rank] ? shared : 0;
        }
        return idle.request(ranks, tokens, matched).placedBy(config.router(ranks, true)).chosenRank(0);
    }

    /** Whether the cache of each rank is full, with at least one of each kind. */
    @Provide
    Arbitrary<List<Boolean>> caches()
    {
        return Arbitraries.of(false, true).list().ofMinSize(2).ofMaxSize(64)
            .filter(full -> full.contains(true) && full.contains(false));
    }

    private static boolean isPlacedOnAnEmptyCache(
        final RouterConfig config,
        final List<Boolean> caches,
        final int pool,
        final int sharedPerMille,
        final int ownPerMille)
    {
        final boolean[] full = new boolean[caches.size()];
        for (int rank = 0; rank < full.length; rank++)
        {
            full[rank] = caches.get(rank);
        }
        final int shared = 1 + (int)(sharedPerMille * (pool / 20L) / 1000);
        final int own = shared / MOST_SHARED + 1 + (int)(ownPerMille * (pool / 20L) / 1000);
        return !full[chosen(config, full.length, full, pool, shared + own, shared)];
    }

    /** The full ranks have cached the beginning of the prompt, which conversations share; the empty ranks have not. */
    @Property
    void aNewConversationGoesToAnEmptyCacheRatherThanAFullOne(
        @ForAll("caches") final List<Boolean> full,
        @ForAll @IntRange(min = 20_000, max = 1_020_000) final int pool,
        @ForAll @IntRange(max = 999) final int sharedPerMille,
        @ForAll @IntRange(max = 999) final int ownPerMille)
    {
        assertTrue(isPlacedOnAnEmptyCache(RouterConfig.standard(), full, pool, sharedPerMille, ownPerMille));
    }

    /** Without the term the score counts only the hits, and every conversation joins the full rank. */
    @Property
    void withoutTheTermItGoesToTheFullCache(
        @ForAll("caches") final List<Boolean> full,
        @ForAll @IntRange(min = 20_000, max = 1_020_000) final int pool,
        @ForAll @IntRange(max = 999) final int sharedPerMille,
        @ForAll @IntRange(max = 999) final int ownPerMille)
    {
        // A prefix is worth more than the few tokens that cachedWeight charges for a full cache.
        final RouterConfig planted = RouterConfig.standard().with("evictionWeight", 0).with("cachedWeight", 0);
        assertFalse(isPlacedOnAnEmptyCache(planted, full, pool, sharedPerMille, ownPerMille));
    }

    /** A returning conversation finds nearly its whole prompt on its rank, and stays although another cache is empty. */
    @Property
    void aConversationReturnsToItsRank(
        @ForAll @IntRange(min = 2, max = 64) final int ranks,
        @ForAll @IntRange(max = 63) final int home,
        @ForAll @IntRange(min = 1_000, max = 100_000) final int history,
        @ForAll @IntRange(max = 90) final int turnPerMille)
    {
        final boolean[] full = new boolean[ranks];
        full[home % ranks] = true;
        final int turn = 1 + (int)(history * (long)turnPerMille / 1000);
        assertEquals(home % ranks, chosen(RouterConfig.standard(), ranks, full, 1_000_000, history + turn, history));
    }

    /** If every cache is full, the eviction term is 0 on every rank, so the score equals the score without it. */
    @Property
    void ifEveryCacheIsFullNoRankIsCharged(
        @ForAll @IntRange(min = 2, max = 16) final int ranks, @ForAll @IntRange(max = 15) final int home)
    {
        final Ranks idle = Ranks.of(ranks);
        for (int rank = 0; rank < ranks; rank++)
        {
            idle.rank(0, 0, 0).cache(0, 100_000);
        }
        final int[] matched = new int[ranks];
        matched[home % ranks] = 10;
        final PlacementBatch batch = idle.request(1, 5000, matched).placedBy(RouterConfig.standard().router(ranks, true));
        assertEquals(home % ranks, batch.chosenRank(0));
        for (int rank = 0; rank < ranks; rank++)
        {
            assertEquals(0, batch.evictedTokens(0, rank));
        }
    }
}
