// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router.published;

import io.signalbox.config.SettingValues;
import io.signalbox.router.DpRouter;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.ScoredDpRouter;

/**
 * {@code (T - matched) * (active requests + 1)}: the LMetric product (arXiv 2603.15202), which needs no weight. It counts
 * requests and not tokens. A prompt that is fully cached on a rank therefore goes there, however long its queue is.
 */
public final class LMetricDpRouter extends ScoredDpRouter
{
    /** Declares the router. */
    public static final class Provider extends DpRouterProvider
    {
        public Provider()
        {
            super("lmetric", 1,
                "(T - m) * (requests + 1); LMetric, arXiv 2603.15202.");
        }

        @Override
        public DpRouter create(final SettingValues values, final int ranks)
        {
            return new LMetricDpRouter();
        }
    }

    @Override
    protected double score(final PlacementBatch batch, final int request, final int rank)
    {
        final double newWork = batch.uncachedTokens(request, rank);
        final double load = batch.activeRequests(rank) + 1.0;
        final double score = newWork * load;
        batch.candidate(request, rank, score, newWork, load, batch.matchedTokens(request, rank));
        return score;
    }
}
