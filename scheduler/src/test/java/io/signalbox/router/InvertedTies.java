// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

/** A router with one tie rule turned round: the planted defect that verification must find. */
public final class InvertedTies extends DpRouter
{
    private final DpRouter delegate;

    private InvertedTies(final DpRouter delegate)
    {
        this.delegate = delegate;
    }

    public static DpRouter of(final DpRouter router)
    {
        return new InvertedTies(router);
    }

    @Override
    public boolean readsMatches()
    {
        return delegate.readsMatches();
    }

    @Override
    protected void placeUnhinted(final PlacementBatch batch, final int target)
    {
        for (int request = 0; request < batch.count(); request++)
        {
            int best = PlacementBatch.NO_RANK;
            for (int rank = batch.ranks() - 1; rank >= 0; rank--)
            {
                if (isOpen(batch, request) && isEligible(batch, rank, target))
                {
                    batch.candidate(request, rank, batch.loadTokens(rank));
                    best = best == PlacementBatch.NO_RANK || batch.loadTokens(rank) < batch.loadTokens(best) ? rank : best;
                }
            }
            if (best != PlacementBatch.NO_RANK)
            {
                batch.choose(request, best, batch.promptTokens(request), PlacementBatch.TieBreak.LOWEST_RANK);
            }
        }
    }
}
