// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router.trtllm;

import io.signalbox.config.SettingValues;
import io.signalbox.router.DpRouter;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.ExplicitPlacement;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.PlacementOrder;
import io.signalbox.router.RankFigure;
import io.signalbox.router.TieRule;

/**
 * Longest prompt first, each to the rank with the least load; ties go to fewer requests, then to the lower index:
 * TensorRT-LLM's default attention-DP router of commit 04fe30a9. A rank's load is the sum of the prompt lengths of its
 * requests, without the requests that were placed by their hints.
 *
 * <p>If more requests are given than fit under the target, the original fails; here the rest stays unplaced.
 */
public final class DefaultDpRouter implements DpRouter
{
    /** Declares the router. */
    public static final class Provider extends DpRouterProvider
    {
        public Provider()
        {
            super("default", 1,
                "Longest prompt first, each to the rank with the fewest prompt tokens, up to its fair share of requests.");
        }

        @Override
        public DpRouter create(final SettingValues values, final int ranks)
        {
            return new DefaultDpRouter();
        }
    }

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
        PlacementOrder.strictFirst(batch, false, order);
        int open = 0;
        for (int i = 0; i < batch.count(); i++)
        {
            if (!ExplicitPlacement.onHint(batch, order[i], 0))
            {
                order[open++] = order[i];
            }
        }
        batch.target(Math.min(PlacementOrder.target(batch, open, 1.0), batch.maxActive()));
        PlacementOrder.longestFirst(batch, order, open);
        for (int i = 0; i < open; i++)
        {
            placeOne(batch, order[i]);
        }
    }

    private static void placeOne(final PlacementBatch batch, final int request)
    {
        final int tokens = batch.promptTokens(request);
        int best = PlacementBatch.NO_RANK;
        long leastLoad = 0;
        boolean tied = false;
        for (int rank = 0; rank < batch.ranks(); rank++)
        {
            if (!PlacementOrder.isEligible(batch, rank))
            {
                continue;
            }
            final long load = batch.loadTokens(rank);
            batch.candidate(request, rank, load, tokens, load, 0);
            if (best == PlacementBatch.NO_RANK || load < leastLoad)
            {
                best = rank;
                leastLoad = load;
                tied = false;
            }
            else if (load == leastLoad)
            {
                tied = true;
                best = batch.activeRequests(rank) < batch.activeRequests(best) ? rank : best;
            }
        }
        if (best != PlacementBatch.NO_RANK)
        {
            batch.choose(request, best, tokens, tied ? TieRule.FEWEST_REQUESTS_THEN_LOWEST_RANK : TieRule.NONE);
        }
    }
}
