// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.InvariantViolation;
import io.signalbox.PluginFault;
import io.signalbox.event.codec.DecidingRouter;
import io.signalbox.router.DpRouter;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.RouterException;
import io.signalbox.router.RouterSnapshot;

import java.nio.ByteBuffer;

/**
 * Wraps a router that is not trusted. If it throws, chooses a rank that it did not note as a candidate, places more requests
 * on a rank than the rank may run, or places nothing although a rank is idle, the wrapper throws a {@link RouterException}
 * that names the router, and none of the batch's decisions is applied.
 */
final class GuardedRouter implements DpRouter
{
    private final DpRouterProvider provider;
    private final DecidingRouter decidedBy;
    /** The installed version. While decisions of another version are repeated, it decides nothing. */
    private DpRouter router;
    /** The version that decides, whether it is installed or not. */
    private int version;
    private final RecordedRouter recorded = new RecordedRouter();
    private final int maxActive;
    private final boolean readsMatches;
    private final boolean keepsOrder;

    /** @param router made by the provider that decides under this configuration. */
    GuardedRouter(final SchedulerConfig config, final DpRouter router)
    {
        provider = config.router().deciding(config.prefixCaching());
        decidedBy = provider == config.router().provider() ? DecidingRouter.CONFIGURED : DecidingRouter.FALLBACK;
        this.router = router;
        version = config.router().begunVersion(config.prefixCaching());
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

    /** Version of the router that decides. */
    int version()
    {
        return version;
    }

    /** Whether decisions of a version that is not installed are repeated. */
    boolean repeats()
    {
        return version != provider.version();
    }

    /** Has the recorded decisions, which are repeated while {@link #repeats}. */
    RecordedRouter recorded()
    {
        return recorded;
    }

    /** Lets another version decide from here on. @param installed a new router of the installed version. */
    void begin(final int newVersion, final DpRouter installed)
    {
        version = newVersion;
        router = installed;
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
            if (repeats())
            {
                recorded.place(batch);
            }
            else
            {
                router.place(batch);
            }
        }
        catch (final InvariantViolation e)
        {
            throw e;
        }
        catch (final Throwable e)
        {
            throw broken(e);
        }
        if (batch.decisions() == 0 && batch.count() > 0)
        {
            requireNoIdleRank(batch);
        }
        for (int i = 0; i < batch.decisions(); i++)
        {
            final int request = batch.decision(i);
            final int rank = batch.chosenRank(request);
            if (!batch.isCandidate(request, rank))
            {
                throw new RouterException("chose rank " + rank + " for request " + batch.requestId(request) +
                    " without noting it as a candidate").by(provider);
            }
            if (batch.activeRequests(rank) > maxActive)
            {
                throw new RouterException("put " + batch.activeRequests(rank) + " requests on rank " + rank +
                    ", which holds at most " + maxActive).by(provider);
            }
        }
    }

    /** No later event would wake these requests. */
    private void requireNoIdleRank(final PlacementBatch batch)
    {
        for (int rank = 0; rank < batch.ranks(); rank++)
        {
            if (!batch.isLost(rank) && batch.activeRequests(rank) == 0)
            {
                throw RouterException.standstill("left " + batch.count() + " of " + batch.count() +
                    " requests in the queue, and rank " + rank + " is idle").by(provider);
            }
        }
    }

    @Override
    public void ended(final int outputTokens)
    {
        try
        {
            if (!repeats())
            {
                router.ended(outputTokens);
            }
        }
        catch (final Throwable e)
        {
            throw broken(e);
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
            return repeats() ? recorded.digest() : router.digest();
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
            return repeats() ? 0 : router.snapshotBytes();
        }
        catch (final Throwable e)
        {
            throw broken(e);
        }
    }

    /** Restores the state of a {@link RouterSnapshot}; the router has placed nothing yet. */
    void restore(final byte[] snapshot, final int ranks)
    {
        version = RouterSnapshot.version(snapshot);
        if (repeats())
        {
            recorded.digest(RouterSnapshot.digest(snapshot, provider, ranks));
        }
        else
        {
            RouterSnapshot.restore(snapshot, provider, router, ranks);
        }
    }

    @Override
    public void snapshot(final ByteBuffer into)
    {
        try
        {
            if (!repeats())
            {
                router.snapshot(into);
            }
        }
        catch (final Throwable e)
        {
            throw broken(e);
        }
    }
}
