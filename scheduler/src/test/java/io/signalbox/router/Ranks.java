// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

/** Batches for tests of single policies: ranks with room and memory, one line per rank and per request. */
public final class Ranks
{
    private static final int MAX_ACTIVE = 1000;
    private static final long MUCH = 1L << 40;

    private final PlacementBatch batch;
    private int rank;

    private Ranks(final int count)
    {
        batch = new PlacementBatch(count, MAX_ACTIVE);
        for (int i = 0; i < count; i++)
        {
            batch.rank(i, 0, false);
            batch.figure(i, RankFigure.FREE_TOKENS, MUCH);
        }
    }

    public static Ranks of(final int count)
    {
        return new Ranks(count);
    }

    /** The next rank. */
    public Ranks rank(final int active, final long pending, final long context)
    {
        batch.rank(rank, active, false);
        batch.figure(rank, RankFigure.PENDING_PREFILL_TOKENS, pending);
        batch.figure(rank, RankFigure.PROMPT_TOKENS, pending);
        batch.figure(rank, RankFigure.CONTEXT_TOKENS, context);
        batch.figure(rank, RankFigure.FREE_TOKENS, MUCH);
        rank++;
        return this;
    }

    /** Blocks of the rank that was added last: free ones, and cached ones that no request uses. */
    public Ranks cache(final long freeTokens, final long cachedTokens)
    {
        batch.figure(rank - 1, RankFigure.FREE_TOKENS, freeTokens + cachedTokens);
        batch.figure(rank - 1, RankFigure.CACHED_TOKENS, cachedTokens);
        batch.figure(rank - 1, RankFigure.POOL_TOKENS, freeTokens + cachedTokens);
        return this;
    }

    /** The limits of long prompts; the rank that was added last computes one. */
    public Ranks longPrefills(final int mostTokens, final int mostRequests, final long deferredTokens)
    {
        batch.longPrefills(mostTokens, mostRequests);
        batch.figure(rank - 1, RankFigure.LONG_PREFILLS, 1);
        batch.figure(rank - 1, RankFigure.DEFERRED_PREFILL_TOKENS, deferredTokens);
        return this;
    }

    /** A request with its matched tokens on each rank. */
    public Ranks request(final long id, final int tokens, final int... matched)
    {
        final int request =
            batch.add(id, PlacementBatch.NO_CONVERSATION, tokens, PlacementBatch.NO_RANK, Relax.NO_PARAMETERS);
        for (int i = 0; i < matched.length; i++)
        {
            batch.matchedTokens(request, i, matched[i]);
        }
        return this;
    }

    public PlacementBatch placedBy(final DpRouter router)
    {
        router.place(batch);
        return batch;
    }

    public PlacementBatch batch()
    {
        return batch;
    }

    public static int[] chosen(final PlacementBatch batch)
    {
        final int[] chosen = new int[batch.count()];
        for (int i = 0; i < chosen.length; i++)
        {
            chosen[i] = batch.chosenRank(i);
        }
        return chosen;
    }
}
