// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import io.signalbox.StateDigest;

/**
 * Places requests with hints first, then every request, in order of arrival, on the rank with the lowest score. Any rank
 * with room is a candidate. Ties go to the lower running load, then to fewer requests, then to the first rank in an order
 * that the request id seeds, unless a router has another rule. No rank is therefore preferred for its number: the numbers
 * only affect that last order.
 */
public abstract class ScoredDpRouter implements DpRouter
{
    private final int[] order = new int[PlacementBatch.MAX_REQUESTS];

    @Override
    public final void place(final PlacementBatch batch)
    {
        batch.loadFrom(load());
        begin(batch);
        PlacementOrder.strictFirst(batch, false, order);
        int open = 0;
        for (int i = 0; i < batch.count(); i++)
        {
            final int hint = batch.rankHint(order[i]);
            if (ExplicitPlacement.onHint(batch, order[i], hint < 0 ? 0 : addedLoad(batch, order[i], hint)))
            {
                placed(batch, order[i], hint);
            }
            else
            {
                order[open++] = order[i];
            }
        }
        boolean longWaits = false;
        boolean continues = true;
        for (int i = 0; i < open && continues; i++)
        {
            final boolean isPlaced = !(longWaits && isLong(batch, order[i])) && placeOne(batch, order[i]);
            longWaits |= !isPlaced && keepsOrder() && isLong(batch, order[i]);
            continues = isPlaced || !keepsOrder() || longWaits && isLong(batch, order[i]);
        }
    }

    /** Whether every rank needs several steps for the prompt, and computes other requests in each of these steps. */
    private static boolean isLong(final PlacementBatch batch, final int request)
    {
        boolean isLong = batch.longPrefillTokens() > 0;
        for (int rank = 0; rank < batch.ranks() && isLong; rank++)
        {
            isLong = batch.uncachedTokens(request, rank) > batch.longPrefillTokens();
        }
        return isLong;
    }

    @Override
    public long digest()
    {
        return 0;
    }

    @Override
    public boolean readsMatches()
    {
        return true;
    }

    /** The figure that the running load begins with; pending prefill tokens unless a router overrides it. */
    protected RankFigure load()
    {
        return RankFigure.PENDING_PREFILL_TOKENS;
    }

    /** Tokens that a placement adds to the running load; the uncached prompt tokens unless a router overrides it. */
    protected long addedLoad(final PlacementBatch batch, final int request, final int rank)
    {
        return batch.uncachedTokens(request, rank);
    }

    /** Records the rank as a candidate and returns its score, a finite number; lower is better. */
    protected abstract double score(PlacementBatch batch, int request, int rank);

    /** Called once per batch, before any other method. */
    protected void begin(final PlacementBatch batch)
    {
        // Most routers need no preparation.
    }

    /** Called before the candidates of a request are scored. */
    protected void consider(final PlacementBatch batch, final int request)
    {
        // Most scores depend on one rank only.
    }

    /** Called after a request was placed. */
    protected void placed(final PlacementBatch batch, final int request, final int rank)
    {
        // Most routers keep no further state.
    }

    /** Whether the rank may take the request now. */
    protected boolean isOpen(final PlacementBatch batch, final int request, final int rank)
    {
        return batch.hasRoom(rank);
    }

    private boolean placeOne(final PlacementBatch batch, final int request)
    {
        consider(batch, request);
        int best = PlacementBatch.NO_RANK;
        double bestScore = Double.POSITIVE_INFINITY;
        TieRule decidedBy = TieRule.NONE;
        for (int rank = 0; rank < batch.ranks(); rank++)
        {
            if (!isOpen(batch, request, rank))
            {
                continue;
            }
            final double score = score(batch, request, rank);
            if (!(score <= Double.MAX_VALUE && score >= -Double.MAX_VALUE))
            {
                throw notFinite(batch, request, rank, score);
            }
            if (score > bestScore)
            {
                continue;
            }
            if (score < bestScore || best == PlacementBatch.NO_RANK)
            {
                best = rank;
                bestScore = score;
                decidedBy = TieRule.NONE;
            }
            else
            {
                final TieRule tie = tieRule(batch, best, rank);
                decidedBy = tie.ordinal() > decidedBy.ordinal() ? tie : decidedBy;
                best = winsTie(batch, request, rank, best) ? rank : best;
            }
        }
        if (best == PlacementBatch.NO_RANK)
        {
            return false;
        }
        batch.choose(request, best, addedLoad(batch, request, best), decidedBy);
        placed(batch, request, best);
        return true;
    }

    private static RouterException notFinite(
        final PlacementBatch batch, final int request, final int rank, final double score)
    {
        return new RouterException("returned " + score + " as the score of rank " + rank + " for request " +
            batch.requestId(request) + ", which is not a finite number; isOpen leaves a rank out");
    }

    /** The rule that decides between two ranks of equal score. */
    protected TieRule tieRule(final PlacementBatch batch, final int rank, final int other)
    {
        return batch.loadTokens(rank) != batch.loadTokens(other) ? TieRule.LEAST_LOAD :
            batch.activeRequests(rank) != batch.activeRequests(other) ? TieRule.FEWEST_REQUESTS : TieRule.SEEDED_ORDER;
    }

    /** Whether the rank comes before the best rank so far, which has the same score. */
    protected boolean winsTie(final PlacementBatch batch, final int request, final int rank, final int best)
    {
        if (batch.loadTokens(rank) != batch.loadTokens(best))
        {
            return batch.loadTokens(rank) < batch.loadTokens(best);
        }
        if (batch.activeRequests(rank) != batch.activeRequests(best))
        {
            return batch.activeRequests(rank) < batch.activeRequests(best);
        }
        final long id = batch.requestId(request);
        return StateDigest.mix(id, rank) < StateDigest.mix(id, best);
    }
}
