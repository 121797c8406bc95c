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
 * Visits prompts with a common beginning one after another, and sends each to the rank with the lowest
 * {@link KvAwareScore}: TensorRT-LLM's KV-cache-aware attention-DP router in its first version (PR 12315). Ties go to the
 * lowest rank. A rank's load is the sum of the prompt lengths of its requests; each placement adds the request's uncached
 * tokens, except a placement by a hint.
 */
public final class KvAwarePrDpRouter implements DpRouter
{
    /** Declares the router. */
    public static final class Provider extends DpRouterProvider
    {
        public Provider()
        {
            super("kv-aware-pr", 1,
                "(T - m) + beta * (load / D * T): prefix matches against load, first version (PR 12315).",
                KvAwareScore.BETA);
        }

        @Override
        public DpRouter create(final SettingValues values, final int ranks)
        {
            return new KvAwarePrDpRouter(values.get(KvAwareScore.BETA));
        }

        @Override
        public DpRouterProvider withoutPrefixCaching()
        {
            return new DefaultDpRouter.Provider();
        }
    }

    private final double beta;
    private final int[] order = new int[PlacementBatch.MAX_REQUESTS];

    /** @param beta weight of the load term. */
    public KvAwarePrDpRouter(final double beta)
    {
        this.beta = beta;
    }

    @Override
    public boolean readsMatches()
    {
        return true;
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
        PlacementOrder.byHead(batch, order, open);
        for (int i = 0; i < open; i++)
        {
            placeOne(batch, order[i]);
        }
    }

    private void placeOne(final PlacementBatch batch, final int request)
    {
        final double normaliser = KvAwareScore.normaliser(batch, request);
        batch.normaliser(request, normaliser);
        int best = PlacementBatch.NO_RANK;
        double bestScore = 0;
        boolean tied = false;
        for (int rank = 0; rank < batch.ranks(); rank++)
        {
            if (!PlacementOrder.isEligible(batch, rank))
            {
                continue;
            }
            final double score =
                KvAwareScore.of(batch, request, rank, normaliser, beta, batch.matchedTokens(request, rank));
            if (best == PlacementBatch.NO_RANK || score < bestScore)
            {
                best = rank;
                bestScore = score;
                tied = false;
            }
            else
            {
                tied |= score == bestScore;
            }
        }
        if (best != PlacementBatch.NO_RANK)
        {
            final long added = (long)batch.promptTokens(request) - batch.matchedTokens(request, best);
            batch.choose(request, best, added, tied ? TieRule.LOWEST_RANK : TieRule.NONE);
        }
    }
}
