// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.restart;

import io.signalbox.config.Setting;
import io.signalbox.config.SettingValues;
import io.signalbox.router.DpRouter;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.DpRouters;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.RouterConfig;
import io.signalbox.router.ScoredDpRouter;

import java.nio.ByteBuffer;
import java.util.List;

/** A router with a state, of which each version decides otherwise and, from the second on, has a knob more. */
final class TurnDpRouter extends ScoredDpRouter
{
    static final String LABEL = "turn";
    private static final Setting<Integer> OFFSET =
        Setting.integer("offset", "", 0, 0, 9, "Added to the turn.").omitted(0);

    private final int version;
    private final int offset;
    private long turn;

    private TurnDpRouter(final int version, final int offset)
    {
        this.version = version;
        this.offset = offset;
    }

    /** One version. */
    static final class Provider extends DpRouterProvider
    {
        Provider(final int version)
        {
            super(LABEL, version, "Takes turns.", version < 2 ? new Setting<?>[0] : new Setting<?>[] {OFFSET});
        }

        @Override
        public DpRouter create(final SettingValues values, final int ranks)
        {
            return new TurnDpRouter(version(), version() < 2 ? 0 : values.get(OFFSET));
        }
    }

    static RouterConfig version(final int version)
    {
        return RouterConfig.of(new Provider(version));
    }

    static DpRouters installed(final int version)
    {
        return DpRouters.installed().with(List.of(new Provider(version)));
    }

    @Override
    protected double score(final PlacementBatch batch, final int request, final int rank)
    {
        // The third version is as the second one, in other numbers.
        final double score = (turn * version + rank + offset) % batch.ranks() * version;
        batch.candidate(request, rank, score, batch.uncachedTokens(request, rank), 0, batch.matchedTokens(request, rank));
        return score;
    }

    @Override
    protected void placed(final PlacementBatch batch, final int request, final int rank)
    {
        turn += 1 + rank;
    }

    @Override
    public long digest()
    {
        return turn * 31 + version;
    }

    @Override
    public long snapshotBytes()
    {
        return Long.BYTES;
    }

    @Override
    public void snapshot(final ByteBuffer into)
    {
        into.putLong(turn);
    }

    @Override
    public void restore(final ByteBuffer from, final int ranks)
    {
        turn = from.getLong();
    }
}
