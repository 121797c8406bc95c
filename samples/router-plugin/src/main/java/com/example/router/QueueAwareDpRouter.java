// SPDX-License-Identifier: Apache-2.0
package com.example.router;

import io.signalbox.config.Setting;
import io.signalbox.config.SettingValues;
import io.signalbox.router.DpRouter;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.ScoredDpRouter;

/** The tokens that a rank would have to compute, plus a price for each request that it already runs. */
public final class QueueAwareDpRouter extends ScoredDpRouter
{
    private static final Setting<Double> REQUEST_PRICE = Setting.weight("requestPrice", 200.0,
        "Price of an active request, in prefill tokens.");

    /** Declares the router; META-INF/services names this class. */
    public static final class Provider extends DpRouterProvider
    {
        public Provider()
        {
            super("queue-aware", 1, "T - m + requestPrice * requests.", REQUEST_PRICE);
        }

        @Override
        public DpRouter create(final SettingValues values, final int ranks)
        {
            return new QueueAwareDpRouter(values.get(REQUEST_PRICE));
        }
    }

    private final double requestPrice;

    QueueAwareDpRouter(final double requestPrice)
    {
        this.requestPrice = requestPrice;
    }

    @Override
    protected double score(final PlacementBatch batch, final int request, final int rank)
    {
        final double newWork = batch.uncachedTokens(request, rank);
        final double load = requestPrice * batch.activeRequests(rank);
        batch.candidate(request, rank, newWork + load, newWork, load, batch.matchedTokens(request, rank));
        return newWork + load;
    }
}
