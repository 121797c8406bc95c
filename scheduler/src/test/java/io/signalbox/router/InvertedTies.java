// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;


/**
 * The default router for single requests with one tie rule turned round: the planted defect that verification must find.
 */
public final class InvertedTies implements DpRouter
{
    @Override
    public boolean readsMatches()
    {
        return false;
    }

    @Override
    public long digest()
    {
        return 0;
    }

    @Override
    public void place(final PlacementBatch batch)
    {
        batch.loadFrom(RankFigure.PROMPT_TOKENS);
        for (int request = 0; request < batch.count(); request++)
        {
            int best = PlacementBatch.NO_RANK;
            for (int rank = batch.ranks() - 1; rank >= 0; rank--)
            {
                if (batch.hasRoom(rank))
                {
                    batch.candidate(request, rank, batch.loadTokens(rank), 0, 0, 0);
                    best = best == PlacementBatch.NO_RANK || batch.loadTokens(rank) < batch.loadTokens(best) ? rank : best;
                }
            }
            if (best != PlacementBatch.NO_RANK)
            {
                batch.choose(request, best, batch.promptTokens(request), TieRule.LOWEST_RANK);
            }
        }
    }
}
