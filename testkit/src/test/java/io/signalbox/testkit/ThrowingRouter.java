// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.config.SettingValues;
import io.signalbox.router.DpRouter;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.ScoredDpRouter;

/** Fails when a rank has three requests. */
final class ThrowingRouter extends ScoredDpRouter
{
    /** Declares it. */
    static final class Provider extends DpRouterProvider
    {
        Provider()
        {
            super("throwing", 1, "A router of a test.");
        }

        @Override
        public DpRouter create(final SettingValues values, final int ranks)
        {
            return new ThrowingRouter();
        }
    }

    @Override
    protected double score(final PlacementBatch batch, final int request, final int rank)
    {
        if (batch.activeRequests(rank) == 3)
        {
            throw new IllegalStateException("three");
        }
        batch.candidate(request, rank, 0, 0, 0, 0);
        return 0;
    }
}
