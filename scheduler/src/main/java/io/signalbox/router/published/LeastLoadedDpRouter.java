// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router.published;

import io.signalbox.config.SettingValues;
import io.signalbox.router.DpRouter;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.ScoredDpRouter;

/** The fewest active requests; ties go to the fewest prompt tokens left to compute. Ignores prefix matches. */
public final class LeastLoadedDpRouter extends ScoredDpRouter
{
    /** Declares the router. */
    public static final class Provider extends DpRouterProvider
    {
        public Provider()
        {
            super("least-loaded", 1,
                "Fewest requests, then least prompt tokens still to compute.");
        }

        @Override
        public DpRouter create(final SettingValues values, final int ranks)
        {
            return new LeastLoadedDpRouter();
        }
    }

    @Override
    public boolean readsMatches()
    {
        return false;
    }

    @Override
    protected long addedLoad(final PlacementBatch batch, final int request, final int rank)
    {
        return batch.promptTokens(request);
    }

    @Override
    protected double score(final PlacementBatch batch, final int request, final int rank)
    {
        final double score = batch.activeRequests(rank);
        batch.candidate(request, rank, score, batch.promptTokens(request), score, 0);
        return score;
    }
}
