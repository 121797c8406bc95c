// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import com.sun.management.ThreadMXBean;
import io.signalbox.ConfigException;
import io.signalbox.PluginFault;
import io.signalbox.Quantiles;
import io.signalbox.router.DpRouter;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.PlacementBatchWriter;
import io.signalbox.router.RouterConfig;
import io.signalbox.router.RouterException;
import io.signalbox.router.RouterSnapshot;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;

/**
 * Passes random series of batches to a router and reports the first violation of the contract of {@link DpRouter}: a rank
 * that cannot be chosen, a rank above its cap, a choice without its candidate, nothing placed on an idle rank, different
 * decisions for the same batches, a snapshot that does not restore the state, garbage, or an exception.
 */
final class RouterTrial
{
    private static final int BATCHES = 4;
    private static final int WARM_BATCHES = 100;
    private static final int WINDOWS = 21;
    private static final int WINDOW_BATCHES = 10;

    private final RouterConfig config;

    private RouterTrial(final RouterConfig config)
    {
        this.config = config;
    }

    /**
     * @param seed   of the batches; the same seed gives the same batches.
     * @param series each with new routers and a few batches.
     * @return the violation, in words that follow "the router"; {@code null} if there is none.
     */
    static String fault(final RouterConfig config, final long seed, final int series)
    {
        final RouterTrial trial = new RouterTrial(config);
        try
        {
            // Whether it can be made depends on no batch.
            config.router(RouterSeries.MAX_RANKS, true);
            final String fault = RouterSeries.fault(series, BATCHES, seed, trial::play);
            return fault != null ? fault : trial.garbage();
        }
        catch (final RouterException e)
        {
            return e.fault();
        }
        catch (final Throwable e)
        {
            return "threw " + PluginFault.of(e);
        }
    }

    /**
     * Two routers get the same batches and ends of requests; after each, the second one is restored from the snapshot of the
     * first. The router that decides without prefix caching gets them as well.
     */
    private String play(final RouterSeries series)
    {
        final DpRouter router = config.router(series.ranks(), true);
        final DpRouter fallback = config.router(series.ranks(), false);
        DpRouter twin = config.router(series.ranks(), true);
        if (router.readsMatches() != twin.readsMatches() || router.keepsOrder() != twin.keepsOrder())
        {
            throw new RouterException("changes its mind about reading matches or keeping the order");
        }
        for (final TrialBatch each : series.batches())
        {
            final PlacementBatch batch = placed(series, each, router);
            checkChoices(batch, router.keepsOrder());
            final PlacementBatch same = placed(series, each, twin);
            checkAlike(batch, same, router.digest() == twin.digest());
            twin = restored(router, series.ranks());
            checkChoices(placed(series, each, fallback), fallback.keepsOrder());
        }
        return null;
    }

    private static PlacementBatch placed(final RouterSeries series, final TrialBatch batch, final DpRouter router)
    {
        final PlacementBatchWriter writer = series.writer();
        batch.fill(writer, true);
        router.place(writer.batch());
        batch.end(router, series.ranks());
        return writer.batch();
    }

    private DpRouter restored(final DpRouter router, final int ranks)
    {
        final DpRouterProvider provider = config.provider();
        final DpRouter twin = config.router(ranks, true);
        try
        {
            RouterSnapshot.restore(RouterSnapshot.of(provider, router, ranks), provider, twin, ranks);
        }
        catch (final ConfigException e)
        {
            throw new RouterException("does not restore its own snapshot (" + e.getMessage() + ")", e);
        }
        return twin;
    }

    private static void checkChoices(final PlacementBatch batch, final boolean keepsOrder)
    {
        for (int i = 0; i < batch.decisions(); i++)
        {
            final int request = batch.decision(i);
            final int rank = batch.chosenRank(request);
            if (!batch.isCandidate(request, rank))
            {
                throw new RouterException("chose rank " + rank + " without noting it as a candidate");
            }
            if (batch.activeRequests(rank) > batch.maxActive())
            {
                throw new RouterException("put " + batch.activeRequests(rank) + " requests on rank " + rank +
                    ", which holds at most " + batch.maxActive());
            }
        }
        int idle = PlacementBatch.NO_RANK;
        for (int rank = 0; rank < batch.ranks(); rank++)
        {
            idle = !batch.isLost(rank) && batch.activeRequests(rank) == 0 ? rank : idle;
        }
        if (idle != PlacementBatch.NO_RANK && batch.decisions() < (keepsOrder ? Math.min(1, batch.count()) : batch.count()))
        {
            throw new RouterException("left " + (batch.count() - batch.decisions()) + " of " + batch.count() +
                " requests in the queue, and rank " + idle + " is idle");
        }
    }

    private static void checkAlike(final PlacementBatch batch, final PlacementBatch same, final boolean sameDigest)
    {
        boolean alike = batch.decisions() == same.decisions();
        for (int i = 0; alike && i < batch.decisions(); i++)
        {
            final int request = batch.decision(i);
            alike = same.decision(i) == request && same.chosenRank(request) == batch.chosenRank(request);
        }
        if (!alike)
        {
            throw new RouterException("decided differently for the same batches; " +
                "a choice may depend only on the batches so far, and a snapshot must hold all that is remembered");
        }
        if (!sameDigest)
        {
            throw new RouterException("has different digests after the same batches");
        }
    }

    /** The same for every router; made when the first router is measured. */
    private static final class Measured
    {
        private static final List<TrialBatch> BATCHES = RouterSeries.batches(WARM_BATCHES + WINDOWS * WINDOW_BATCHES, 1);
    }

    /** Bytes that the router allocates once its tables have grown, or {@code null}. */
    private String garbage()
    {
        if (!(ManagementFactory.getThreadMXBean() instanceof ThreadMXBean threads))
        {
            return null;
        }
        final DpRouter router = config.router(RouterSeries.MAX_RANKS, true);
        final PlacementBatchWriter writer = new PlacementBatchWriter(RouterSeries.MAX_RANKS, RouterSeries.MAX_ACTIVE);
        final Iterator<TrialBatch> batches = Measured.BATCHES.iterator();
        for (int i = 0; i < WARM_BATCHES; i++)
        {
            final TrialBatch batch = batches.next();
            batch.fill(writer, true);
            router.place(writer.batch());
            batch.end(router, RouterSeries.MAX_RANKS);
        }
        final long[] bytes = new long[WINDOWS];
        for (int window = 0; window < WINDOWS; window++)
        {
            for (int i = 0; i < WINDOW_BATCHES; i++)
            {
                final TrialBatch batch = batches.next();
                batch.fill(writer, true);
                final long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
                router.place(writer.batch());
                batch.end(router, RouterSeries.MAX_RANKS);
                bytes[window] += threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
            }
        }
        Arrays.sort(bytes);
        // The median, because the JVM may itself allocate in some windows.
        final long usual = bytes[Quantiles.index(WINDOWS, 50)];
        return usual == 0 ? null : "allocates about " + Math.max(1, usual / WINDOW_BATCHES) +
            " bytes per batch; a router allocates nothing once its tables have grown";
    }
}
