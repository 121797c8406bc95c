// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import io.signalbox.Digits;
import io.signalbox.router.trtllm.KvAwareDpRouter;
import io.signalbox.router.trtllm.KvAwarePrDpRouter;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class DpRouterPropertyTest
{
    private static final int MAX_ACTIVE = 6;
    private static final int ROUNDS = 3;

    /** Ranks and requests of batches for one router, a number for each of them. */
    @Provide
    Arbitrary<Long> numbers()
    {
        return Digits.numbers();
    }

    @Provide
    Arbitrary<List<Long>> ranks()
    {
        return Digits.lists(8).filter(ranks -> !ranks.isEmpty());
    }

    @Provide
    Arbitrary<List<Long>> requests()
    {
        return Digits.lists(2 * MAX_ACTIVE * 8);
    }

    /** No more requests than fit, as admission lets through. */
    static PlacementBatch batch(final Random random, final int ranks)
    {
        final PlacementBatch batch = new PlacementBatch(ranks, MAX_ACTIVE);
        int room = 0;
        for (int rank = 0; rank < ranks; rank++)
        {
            room += addRank(batch, rank, random);
        }
        for (int i = random.nextInt(room + 1); i > 0; i--)
        {
            addRequest(batch, random);
        }
        return batch;
    }

    /** The state of each rank, and as many of the requests as fit. */
    static PlacementBatch batch(final List<Long> ranks, final List<Long> requests)
    {
        return batch(ranks, requests, true);
    }

    private static PlacementBatch batch(final List<Long> ranks, final List<Long> requests, final boolean fitting)
    {
        final PlacementBatch batch = new PlacementBatch(ranks.size(), MAX_ACTIVE);
        int room = 0;
        for (int rank = 0; rank < ranks.size(); rank++)
        {
            room += addRank(batch, rank, new Digits(ranks.get(rank)));
        }
        requests.stream().limit(fitting ? room : requests.size()).forEach(number -> addRequest(batch, new Digits(number)));
        return batch;
    }

    /** Requests of a round of several. */
    private static List<Long> round(final int round, final List<Long> requests)
    {
        return requests.subList(requests.size() * round / ROUNDS, requests.size() * (round + 1) / ROUNDS);
    }

    private static int addRank(final PlacementBatch batch, final int rank, final Random random)
    {
        final boolean lost = random.nextInt(8) == 7;
        final int active = lost ? 0 : random.nextInt(MAX_ACTIVE + 1);
        batch.rank(rank, active, lost);
        for (final RankFigure figure : RankFigure.values())
        {
            batch.figure(rank, figure, active * 61L * random.nextInt(17));
        }
        return lost ? 0 : MAX_ACTIVE - active;
    }

    private static void addRequest(final PlacementBatch batch, final Random random)
    {
        final int tokens = random.nextInt(4) == 3 ? random.nextInt(2) : random.nextInt(1000);
        final int hint = random.nextInt(4) == 3 ? random.nextInt(batch.ranks() + 3) - 1 : PlacementBatch.NO_RANK;
        final int request = batch.add(random.nextInt(1000), random.nextInt(12) - 1, tokens, hint,
            Relax.values()[random.nextInt(Relax.values().length)]);
        final int head = random.nextInt(1 + Math.min(tokens, 4));
        batch.head(request, IntStream.generate(() -> random.nextInt(3)).limit(4).toArray(), head);
        for (int rank = 0; rank < batch.ranks(); rank++)
        {
            batch.matchedTokens(request, rank, random.nextInt(3) == 2 ? tokens * random.nextInt(7) / 6 : 0);
        }
    }

    private static DpRouter router(final Random random, final int ranks)
    {
        return Routers.random(Routers.any(random), random).router(ranks, random.nextInt(8) != 0);
    }

    @Property(tries = 2000)
    void everyAdmittedRequestIsPlacedOnceAndNoRankIsFilledBeyondItsCap(
        @ForAll("ranks") final List<Long> states, @ForAll("requests") final List<Long> requests,
        @ForAll("numbers") final long knobs)
    {
        final int ranks = states.size();
        final DpRouter router = router(new Digits(knobs), ranks);
        for (int round = 0; round < ROUNDS; round++)
        {
            final PlacementBatch batch = batch(states, round(round, requests));
            final int[] before = new int[ranks];
            for (int rank = 0; rank < ranks; rank++)
            {
                before[rank] = batch.activeRequests(rank);
            }
            router.place(batch);
            assertPlaced(router, batch, before);
            for (int i = 0; i < batch.decisions(); i++)
            {
                before[batch.chosenRank(batch.decision(i))]++;
            }
            for (int rank = 0; rank < ranks; rank++)
            {
                assertEquals(before[rank], batch.activeRequests(rank), "each decision is another request");
                assertTrue(before[rank] <= MAX_ACTIVE, router.getClass() + " fills rank " + rank + " to " + before[rank]);
                assertTrue(before[rank] <= batch.target() || batch.target() == 0, "target " + batch.target());
            }
        }
    }

    /** A router places all requests. One that lets requests wait for busy ranks places at least one if a rank is idle. */
    private static void assertPlaced(final DpRouter router, final PlacementBatch batch, final int[] before)
    {
        boolean idle = false;
        for (int rank = 0; rank < before.length; rank++)
        {
            idle |= before[rank] == 0 && !batch.isLost(rank);
        }
        final int least = !router.keepsOrder() ? batch.count() : idle ? Math.min(1, batch.count()) : 0;
        assertTrue(batch.decisions() >= least && batch.decisions() <= batch.count(), router.getClass().toString());
    }

    @Property(tries = 1000)
    void theChosenRankHasTheBestScoreOfAllCandidates(
        @ForAll("ranks") final List<Long> states, @ForAll("requests") final List<Long> requests,
        @ForAll("numbers") final long knobs)
    {
        final Random random = new Digits(knobs);
        final int ranks = states.size();
        final PlacementBatch batch = batch(states, requests);
        // Above temperature 0 a rank is drawn.
        final RouterConfig config = Routers.with(Routers.random(Routers.any(random), random), "temperature", 0);
        config.router(ranks, random.nextInt(8) != 0).place(batch);
        for (int request = 0; request < batch.count(); request++)
        {
            final int chosen = batch.chosenRank(request);
            if (chosen == PlacementBatch.NO_RANK)
            {
                continue;
            }
            assertTrue(batch.isCandidate(request, chosen));
            for (int rank = 0; rank < ranks; rank++)
            {
                assertTrue(!batch.isCandidate(request, rank) || batch.score(request, chosen) <= batch.score(request, rank));
            }
        }
    }

    @Property(tries = 500)
    void theSameBatchesGiveTheSameDecisions(
        @ForAll("ranks") final List<Long> states, @ForAll("requests") final List<Long> requests,
        @ForAll("numbers") final long knobs)
    {
        final DpRouter one = router(new Digits(knobs), states.size());
        final DpRouter other = router(new Digits(knobs), states.size());
        for (int round = 0; round < ROUNDS; round++)
        {
            final PlacementBatch batch = batch(states, round(round, requests));
            final PlacementBatch same = batch(states, round(round, requests));
            one.place(batch);
            other.place(same);
            for (int i = 0; i < batch.decisions(); i++)
            {
                assertEquals(batch.decision(i), same.decision(i));
                assertEquals(batch.chosenRank(batch.decision(i)), same.chosenRank(same.decision(i)));
            }
            assertEquals(one.digest(), other.digest());
        }
    }

    @Property(tries = 2000)
    void withMoreRequestsThanRoomEveryRouterStillEndsAndLeavesNoRankIdle(
        @ForAll("ranks") final List<Long> all, @ForAll("requests") final List<Long> requests,
        @ForAll("numbers") final long knobs)
    {
        final List<Long> states = all.subList(0, Math.min(3, all.size()));
        final int ranks = states.size();
        final PlacementBatch batch = batch(states, requests, false);
        router(new Digits(knobs), ranks).place(batch);
        for (int rank = 0; rank < ranks; rank++)
        {
            assertTrue(batch.decisions() > 0 || batch.count() == 0 || batch.isLost(rank) || batch.activeRequests(rank) > 0);
        }
        int placed = 0;
        for (int request = 0; request < batch.count(); request++)
        {
            placed += batch.chosenRank(request) == PlacementBatch.NO_RANK ? 0 : 1;
        }
        assertEquals(placed, batch.decisions());
    }

    /** A single request on ranks that all have room, with two scores that a match or a load can turn. */
    private static PlacementBatch single(final long id, final int[] matches, final long[] loads)
    {
        final int ranks = matches.length;
        final PlacementBatch batch = new PlacementBatch(ranks, 64);
        batch.add(id, PlacementBatch.NO_CONVERSATION, 1000, PlacementBatch.NO_RANK, Relax.NO_PARAMETERS);
        for (int rank = 0; rank < ranks; rank++)
        {
            batch.rank(rank, 1, false);
            batch.figure(rank, RankFigure.PROMPT_TOKENS, loads[rank]);
            batch.figure(rank, RankFigure.UNCACHED_TOKENS, loads[rank]);
            batch.matchedTokens(0, rank, matches[rank]);
        }
        return batch;
    }

    @Property(tries = 1000)
    void aLongerMatchNeverLosesARequestAndMoreLoadNeverAttractsOne(
        @ForAll @Size(min = 2, max = 7) final List<@IntRange(max = 49) Integer> states,
        @ForAll @IntRange(max = 3) final int loadWeight,
        @ForAll final boolean ofPullRequest,
        @ForAll final long id,
        @ForAll @IntRange(min = 1, max = 100) final int longerBy,
        @ForAll @IntRange(max = 5) final int next,
        @ForAll @IntRange(min = 1, max = 5000) final int loadedBy)
    {
        final int ranks = states.size();
        final int[] matches = states.stream().mapToInt(state -> state % 10 * 100).toArray();
        final long[] loads = states.stream().mapToLong(state -> state / 10 * 500L).toArray();
        final DpRouter router = ofPullRequest ?
            new KvAwarePrDpRouter(loadWeight) : new KvAwareDpRouter(ranks, loadWeight, 0.1, 2.0, false);
        final PlacementBatch before = single(id, matches, loads);
        router.place(before);
        final int chosen = before.chosenRank(0);

        matches[chosen] += longerBy;
        final PlacementBatch longer = single(id, matches, loads);
        router.place(longer);
        assertEquals(chosen, longer.chosenRank(0), "the match of the chosen rank grew");

        final int other = (chosen + 1 + next % (ranks - 1)) % ranks;
        loads[other] += loadedBy;
        final PlacementBatch loaded = single(id, matches, loads);
        router.place(loaded);
        assertTrue(loaded.chosenRank(0) != other, "rank " + other + " got load, and the request");
    }
}
