// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

import java.util.List;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Properties of every single decision of Signalbox's router, and of the other systems' routers that have them. */
class ScoredDpRouterPropertyTest
{
    private static final int RANKS = 6;

    private int[] active;
    private long[] pending;
    private long[] context;
    private int[] matched;
    private long[] unused;
    private long[] cached;
    private int tokens;

    private void draw(final long seed)
    {
        final Random random = new Random(seed);
        active = random.ints(RANKS, 0, 40).toArray();
        // Some ranks have no prompt to compute, and some have no unused blocks.
        pending = random.longs(RANKS, -10_000, 20_000).map(load -> Math.max(0, load)).toArray();
        unused = random.longs(RANKS, -50_000, 100_000).map(free -> Math.max(0, free)).toArray();
        cached = random.longs(RANKS, 60_000, 200_000).toArray();
        context = random.longs(RANKS, 0, 400_000).toArray();
        tokens = 1 + random.nextInt(30_000);
        matched = random.ints(RANKS, 0, tokens).toArray();
    }

    private int chosen(final String policy, final int[] order)
    {
        final Ranks ranks = Ranks.of(RANKS);
        final int[] matches = new int[RANKS];
        for (int i = 0; i < RANKS; i++)
        {
            ranks.rank(active[order[i]], pending[order[i]], context[order[i]]).cache(unused[order[i]], cached[order[i]]);
            matches[i] = matched[order[i]];
        }
        ranks.request(1, tokens, matches);
        final DpRouter router = Routers.of(policy, RANKS);
        return order[ranks.placedBy(router).chosenRank(0)];
    }

    private int chosen(final String policy)
    {
        return chosen(policy, new int[] {0, 1, 2, 3, 4, 5});
    }

    private static String policy(final int index)
    {
        return List.of("signalbox", "min-max", "lmetric").get(index);
    }

    @Property
    void aLongerMatchNeverSendsARequestAway(
        @ForAll final long seed, @ForAll @IntRange(max = 2) final int policy, @ForAll @IntRange(max = 30_000) final int more)
    {
        draw(seed);
        final int before = chosen(policy(policy));
        matched[before] = Math.min(tokens - 1, matched[before] + more);
        assertEquals(before, chosen(policy(policy)));
    }

    @Property
    void moreLoadOnARankNeverAttractsARequest(
        @ForAll final long seed,
        @ForAll @IntRange(max = 2) final int policy,
        @ForAll @IntRange(max = RANKS - 1) final int rank,
        @ForAll @IntRange(max = 10_000) final int more)
    {
        draw(seed);
        final int before = chosen(policy(policy));
        active[rank] += more % 20;
        pending[rank] += more;
        context[rank] += more;
        final int after = chosen(policy(policy));
        assertTrue(after == before || after != rank, "rank " + rank + " got more to do and was chosen instead of " + before);
    }

    /** Holds except for ties between equal ranks, which do not occur here. */
    @Property
    void whichRankHasWhichNumberMakesNoDifference(@ForAll final long seed, @ForAll @IntRange(max = 2) final int policy)
    {
        draw(seed);
        final int[] order = {0, 1, 2, 3, 4, 5};
        final Random random = new Random(seed + 1);
        for (int i = RANKS - 1; i > 0; i--)
        {
            final int other = random.nextInt(i + 1);
            final int swapped = order[i];
            order[i] = order[other];
            order[other] = swapped;
        }
        assertEquals(chosen(policy(policy)), chosen(policy(policy), order));
    }

    /** Twice the ranks, each as loaded as its twin, give a twin of the same rank: no weight depends on their number. */
    @Property
    void theNumberOfRanksDoesNotChangeTheBestOne(@ForAll final long seed)
    {
        draw(seed);
        final Ranks twins = Ranks.of(2 * RANKS);
        final int[] matches = new int[2 * RANKS];
        for (int i = 0; i < 2 * RANKS; i++)
        {
            final int twin = i % RANKS;
            twins.rank(active[twin], pending[twin], context[twin]).cache(unused[twin], cached[twin]);
            matches[i] = matched[i % RANKS];
        }
        final DpRouter router = RouterConfig.standard().router(2 * RANKS, true);
        final int chosen = twins.request(1, tokens, matches).placedBy(router).chosenRank(0);
        assertEquals(chosen("signalbox"), chosen % RANKS);
    }
}
