// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.PluginFault;
import io.signalbox.event.codec.DecidingRouter;
import io.signalbox.router.DpRouter;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.RouterException;

import java.nio.ByteBuffer;

/**
 * Wraps a router that is not trusted. If it throws, or places more requests on a rank than the rank may run, the wrapper
 * throws a {@link RouterException} that names the router, and none of the batch's decisions is applied.
 */
final class GuardedRouter implements DpRouter
{
    private final DpRouterProvider provider;
    private final DecidingRouter decidedBy;
    private final DpRouter router;
    private final int maxActive;
    private final boolean readsMatches;
    private final boolean keepsOrder;

    /** @param router made by the provider that decides under this configuration. */
    GuardedRouter(final SchedulerConfig config, final DpRouter router)
    {
        provider = config.router().deciding(config.prefixCaching());
        decidedBy = provider == config.router().provider() ? DecidingRouter.CONFIGURED : DecidingRouter.FALLBACK;
        this.router = router;
        maxActive = config.maxRunning();
        try
        {
            readsMatches = router.readsMatches();
            keepsOrder = router.keepsOrder();
        }
        catch (final Throwable e)
        {
            throw broken(e);
        }
    }

    /** The declaration of the router. */
    DpRouterProvider provider()
    {
        return provider;
    }

    /** Whether it is the configured router or its fallback. */
    DecidingRouter decidedBy()
    {
        return decidedBy;
    }

    @Override
    public void place(final PlacementBatch batch)
    {
        try
        {
            router.place(batch);
        }
        catch (final Throwable e)
        {
            throw broken(e);
        }
        for (int i = 0; i < batch.decisions(); i++)
        {
            final int rank = batch.chosenRank(batch.decision(i));
            if (batch.activeRequests(rank) > maxActive)
            {
                throw new RouterException("put " + batch.activeRequests(rank) + " requests on rank " + rank +
                    ", which holds at most " + maxActive).by(provider);
            }
        }
    }

    private RouterException broken(final Throwable thrown)
    {
        return PluginFault.of(thrown) instanceof RouterException fault ? fault.by(provider) :
            new RouterException("threw " + thrown, thrown).by(provider);
    }

    @Override
    public boolean readsMatches()
    {
        return readsMatches;
    }

    @Override
    public boolean keepsOrder()
    {
        return keepsOrder;
    }

    @Override
    public long digest()
    {
        try
        {
            return router.digest();
        }
        catch (final Throwable e)
        {
            throw broken(e);
        }
    }

    @Override
    public long snapshotBytes()
    {
        try
        {
            return router.snapshotBytes();
        }
        catch (final Throwable e)
        {
            throw broken(e);
        }
    }

    @Override
    public void snapshot(final ByteBuffer into)
    {
        try
        {
            router.snapshot(into);
        }
        catch (final Throwable e)
        {
            throw broken(e);
        }
    }
}
