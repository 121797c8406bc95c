// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router.published;

import io.signalbox.config.SettingValues;
import io.signalbox.router.DpRouter;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.RouterSnapshot;
import io.signalbox.router.ScoredDpRouter;

import java.nio.ByteBuffer;

/** The ranks in turn; full ranks are skipped. */
public final class RoundRobinDpRouter extends ScoredDpRouter
{
    /** Declares the router. */
    public static final class Provider extends DpRouterProvider
    {
        public Provider()
        {
            super("round-robin", 1,
                "The ranks in turn; full ones are passed over.");
        }

        @Override
        public DpRouter create(final SettingValues values, final int ranks)
        {
            return new RoundRobinDpRouter();
        }
    }

    private int next;

    @Override
    public boolean readsMatches()
    {
        return false;
    }

    @Override
    public long digest()
    {
        return next;
    }

    @Override
    public long snapshotBytes()
    {
        return Integer.BYTES;
    }

    @Override
    public void snapshot(final ByteBuffer into)
    {
        into.putInt(next);
    }

    @Override
    public void restore(final ByteBuffer from, final int ranks)
    {
        next = RouterSnapshot.rank(from.getInt(), ranks);
    }

    @Override
    protected long addedLoad(final PlacementBatch batch, final int request, final int rank)
    {
        return batch.promptTokens(request);
    }

    @Override
    protected void placed(final PlacementBatch batch, final int request, final int rank)
    {
        next = (rank + 1) % batch.ranks();
    }

    /** Ranks from the next one on. */
    @Override
    protected double score(final PlacementBatch batch, final int request, final int rank)
    {
        final double score = (rank - next + batch.ranks()) % batch.ranks();
        batch.candidate(request, rank, score, batch.promptTokens(request), 0, 0);
        return score;
    }
}
