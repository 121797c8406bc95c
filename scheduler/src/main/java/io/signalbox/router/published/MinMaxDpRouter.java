// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router.published;

import io.signalbox.config.SettingValues;
import io.signalbox.router.DpRouter;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.ScoredDpRouter;

/**
 * The least prefill work after the placement, {@code pending + T - matched}; ties go to the lower load, then to fewer
 * requests. This is the rule of vLLM's tpu-inference for DP ranks in lock-step, which all wait for the rank with the most
 * work. Its third key, the least output to come, is not known here.
 */
public final class MinMaxDpRouter extends ScoredDpRouter
{
    /** Declares the router. */
    public static final class Provider extends DpRouterProvider
    {
        public Provider()
        {
            super("min-max", 1,
                "pending + T - m: the least prefill work after the placement; vLLM tpu-inference.");
        }

        @Override
        public DpRouter create(final SettingValues values, final int ranks)
        {
            return new MinMaxDpRouter();
        }
    }

    @Override
    protected double score(final PlacementBatch batch, final int request, final int rank)
    {
        final double newWork = batch.uncachedTokens(request, rank);
        final double load = batch.loadTokens(rank);
        batch.candidate(request, rank, newWork + load, newWork, load, batch.matchedTokens(request, rank));
        return newWork + load;
    }
}
