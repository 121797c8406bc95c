// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router.trtllm;

import io.signalbox.config.SettingValues;
import io.signalbox.router.DpRouter;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.RankFigure;
import io.signalbox.router.ScoredDpRouter;

/**
 * The KV-cache-aware score over raw load: every token of an active request counts, cached or not. This is the first
 * formula of TensorRT-LLM's PR 12315, kept to show its fault: requests that share a prefix make its rank look loaded,
 * although the prefix costs nothing there, so the next one goes to a rank that has not cached it.
 */
public final class KvAwareRawDpRouter extends ScoredDpRouter
{
    /** Declares the router. */
    public static final class Provider extends DpRouterProvider
    {
        public Provider()
        {
            super("kv-aware-raw", 1,
                "kv-aware-pr over all prompt tokens of active requests, cached ones too; the first formula of PR 12315.",
                KvAwareScore.BETA);
        }

        @Override
        public DpRouter create(final SettingValues values, final int ranks)
        {
            return new KvAwareRawDpRouter(values.get(KvAwareScore.BETA));
        }

        @Override
        public DpRouterProvider withoutPrefixCaching()
        {
            return new DefaultDpRouter.Provider();
        }
    }

    private final double beta;
    private double normaliser;

    /** @param beta weight of the load term. */
    public KvAwareRawDpRouter(final double beta)
    {
        this.beta = beta;
    }

    @Override
    protected RankFigure load()
    {
        return RankFigure.PROMPT_TOKENS;
    }

    @Override
    protected long addedLoad(final PlacementBatch batch, final int request, final int rank)
    {
        return batch.promptTokens(request);
    }

    @Override
    protected void consider(final PlacementBatch batch, final int request)
    {
        long load = 0;
        for (int rank = 0; rank < batch.ranks(); rank++)
        {
            load += batch.hasRoom(rank) ? batch.loadTokens(rank) : 0;
        }
        normaliser = Math.max(load, batch.promptTokens(request));
        batch.normaliser(request, normaliser);
    }

    @Override
    protected double score(final PlacementBatch batch, final int request, final int rank)
    {
        return KvAwareScore.of(batch, request, rank, normaliser, beta, batch.matchedTokens(request, rank));
    }
}
