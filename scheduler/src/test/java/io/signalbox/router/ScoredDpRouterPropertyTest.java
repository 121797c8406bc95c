// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import io.signalbox.Digits;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Properties of every single decision of Signalbox's router, and of the other systems' routers that have them. */
class ScoredDpRouterPropertyTest
{
    private static final int MOST_RANKS = 6;

    private int[] active;
    private long[] pending;
    private long[] context;
    private int[] matched;
    private long[] unused;
    private long[] cached;
    private int tokens;

    @Provide
    Arbitrary<List<Long>> ranks()
    {
        return Digits.lists(MOST_RANKS).filter(ranks -> !ranks.isEmpty());
    }

    /** @param states a number for the state of each rank and the match on it. */
    private void draw(final List<Long> states, final int requestTokens)
    {
        final int ranks = states.size();
        active = new int[ranks];
        pending = new long[ranks];
        unused = new long[ranks];
        cached = new long[ranks];
        context = new long[ranks];
        matched = new int[ranks];
        tokens = requestTokens;
        for (int rank = 0; rank < ranks; rank++)
        {
            final Random random = new Digits(states.get(rank));
            active[rank] = random.nextInt(40);
            // Some ranks have no prompt to compute, and some have no unused blocks. No two are equal.
            pending[rank] = Math.max(0, random.nextInt(30_000) - 10_000);
            matched[rank] = random.nextInt(1000) * tokens / 1000;
            context[rank] = 7L * random.nextInt(60_000) + rank;
            unused[rank] = Math.max(0, 10L * random.nextInt(15_000) - 50_000);
            cached[rank] = 60_000 + 140L * random.nextInt(1_000) + rank;
        }
    }

    private int[] inOrder()
    {
        return IntStream.range(0, active.length).toArray();
    }

    private int chosen(final String policy, final int[] order)
    {
        return order[placed(policy, order).chosenRank(0)];
    }

    private PlacementBatch placed(final String policy, final int[] order)
    {
        final int count = order.length;
        final Ranks ranks = Ranks.of(count);
        final int[] matches = new int[count];
        for (int i = 0; i < count; i++)
        {
            ranks.rank(active[order[i]], pending[order[i]], context[order[i]]).cache(unused[order[i]], cached[order[i]]);
            matches[i] = matched[order[i]];
        }
        ranks.request(1, tokens, matches);
        return ranks.placedBy(Routers.of(policy, count));
    }

    private int chosen(final String policy)
    {
        return chosen(policy, inOrder());
    }

    private static String policy(final int index)
    {
        return List.of("signalbox", "min-max", "lmetric").get(index);
    }

    @Property
    void aLongerMatchNeverSendsARequestAway(
        @ForAll("ranks") final List<Long> states,
        @ForAll @IntRange(min = 1, max = 30_000) final int requestTokens,
        @ForAll @IntRange(max = 2) final int policy,
        @ForAll @IntRange(max = 30_000) final int more)
    {
        draw(states, requestTokens);
        final int before = chosen(policy(policy));
        matched[before] = Math.min(tokens - 1, matched[before] + more);
        assertEquals(before, chosen(policy(policy)));
    }

    @Property
    void moreLoadOnARankNeverAttractsARequest(
        @ForAll("ranks") final List<Long> states,
        @ForAll @IntRange(min = 1, max = 30_000) final int requestTokens,
        @ForAll @IntRange(max = 2) final int policy,
        @ForAll @IntRange(max = MOST_RANKS - 1) final int loaded,
        @ForAll @IntRange(max = 10_000) final int more)
    {
        draw(states, requestTokens);
        final int rank = loaded % states.size();
        final int before = chosen(policy(policy));
        active[rank] += more % 20;
        pending[rank] += more;
        context[rank] += more;
        final int after = chosen(policy(policy));
        assertTrue(after == before || after != rank, "rank " + rank + " got more to do and was chosen instead of " + before);
    }

    /** Of ranks with one score, the order may decide: min-max does not read what tells ranks without load apart. */
    @Property
    void whichRankHasWhichNumberMakesNoDifference(
        @ForAll("ranks") final List<Long> states,
        @ForAll @IntRange(min = 1, max = 30_000) final int requestTokens,
        @ForAll @IntRange(max = 2) final int policy,
        @ForAll @IntRange(max = 719) final int permutation)
    {
        draw(states, requestTokens);
        final int[] order = inOrder();
        final Random random = new Digits(permutation);
        for (int i = order.length - 1; i > 0; i--)
        {
            final int other = i - random.nextInt(i + 1);
            final int swapped = order[i];
            order[i] = order[other];
            order[other] = swapped;
        }
        final PlacementBatch inOrder = placed(policy(policy), inOrder());
        final int first = inOrder.chosenRank(0);
        final int other = chosen(policy(policy), order);
        assertTrue(first == other || inOrder.score(0, first) == inOrder.score(0, other),
            "rank " + first + " was chosen, and in another order rank " + other);
    }

    /** Twice the ranks, each as loaded as its twin, give a twin of the same rank: no weight depends on their number. */
    @Property
    void theNumberOfRanksDoesNotChangeTheBestOne(
        @ForAll("ranks") final List<Long> states, @ForAll @IntRange(min = 1, max = 30_000) final int requestTokens)
    {
        draw(states, requestTokens);
        final int ranks = states.size();
        final Ranks twins = Ranks.of(2 * ranks);
        final int[] matches = new int[2 * ranks];
        for (int i = 0; i < 2 * ranks; i++)
        {
            final int twin = i % ranks;
            twins.rank(active[twin], pending[twin], context[twin]).cache(unused[twin], cached[twin]);
            matches[i] = matched[twin];
        }
        final DpRouter router = RouterConfig.standard().router(2 * ranks, true);
        final int chosen = twins.request(1, tokens, matches).placedBy(router).chosenRank(0);
        assertEquals(chosen("signalbox"), chosen % ranks);
    }
}
