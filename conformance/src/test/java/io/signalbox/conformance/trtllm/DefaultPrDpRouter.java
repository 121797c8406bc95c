// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance.trtllm;

import io.signalbox.router.DpRouter;
import io.signalbox.router.ExplicitPlacement;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.PlacementOrder;
import io.signalbox.router.RankFigure;
import io.signalbox.router.TieRule;

/**
 * TensorRT-LLM's default attention-DP router of pull request 12315. It differs from the one of commit 04fe30a9, which
 * Signalbox runs, in two points that admission rules out: a strict request comes first even if it names no rank, and the
 * target of a rank may exceed its cap if more requests are given than the ranks have room for.
 */
public final class DefaultPrDpRouter implements DpRouter
{
    private final int[] order = new int[PlacementBatch.MAX_REQUESTS];

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
        PlacementOrder.strictFirst(batch, true, order);
        int open = 0;
        for (int i = 0; i < batch.count(); i++)
        {
            if (!ExplicitPlacement.onHint(batch, order[i], 0))
            {
                order[open++] = order[i];
            }
        }
        batch.target(PlacementOrder.target(batch, open, 1.0));
        PlacementOrder.longestFirst(batch, order, open);
        for (int i = 0; i < open; i++)
        {
            placeOne(batch, order[i]);
        }
    }

    /** To the least load, then the fewest requests, then the lowest rank. */
    private static void placeOne(final PlacementBatch batch, final int request)
    {
        int best = PlacementBatch.NO_RANK;
        for (int rank = 0; rank < batch.ranks(); rank++)
        {
            if (PlacementOrder.isEligible(batch, rank))
            {
                batch.candidate(
                    request, rank, batch.loadTokens(rank), batch.promptTokens(request), batch.loadTokens(rank), 0);
                best = best == PlacementBatch.NO_RANK || comesBefore(batch, rank, best) ? rank : best;
            }
        }
        if (best != PlacementBatch.NO_RANK)
        {
            batch.choose(request, best, batch.promptTokens(request), TieRule.FEWEST_REQUESTS_THEN_LOWEST_RANK);
        }
    }

    private static boolean comesBefore(final PlacementBatch batch, final int rank, final int best)
    {
        return batch.loadTokens(rank) < batch.loadTokens(best) || batch.loadTokens(rank) == batch.loadTokens(best) &&
            batch.activeRequests(rank) < batch.activeRequests(best);
    }
}
