// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router.published;

import io.signalbox.config.Setting;
import io.signalbox.config.SettingValues;
import io.signalbox.router.DpRouter;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.RouterSnapshot;
import io.signalbox.router.ScoredDpRouter;
import io.signalbox.router.TieRule;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * Ramjet's rule: the highest {@code affinity - loadWeight * load} wins, and equal ranks take turns. The affinity counts
 * matched blocks of {@value #BLOCK_TOKENS} tokens, at most {@value #MOST_BLOCKS}; {@link Basis} says what it is compared
 * with. The load is {@code active + pending / 8192}.
 */
public final class RamjetDpRouter extends ScoredDpRouter
{
    static final int BLOCK_TOKENS = 512;
    static final int MOST_BLOCKS = 32;
    private static final double TOKENS_OF_A_REQUEST = 8192;

    /** What a match is compared with before it is capped. */
    enum Basis
    {
        /** All matched blocks. */
        ABSOLUTE("absolute"),
        /** Matched blocks above the shortest match of the candidates. */
        RELATIVE("relative"),
        /** Matched blocks above the longest match of the other candidates. */
        MARGINAL("marginal");

        private final String label;

        Basis(final String label)
        {
            this.label = label;
        }

        String label()
        {
            return label;
        }
    }

    private static final Setting<Basis> BASIS = Setting.choice("basis", Basis.ABSOLUTE, List.of(Basis.values()),
        Basis::label,
        "What a match is compared with: nothing, the shortest match of the ranks, or the longest match of the others.");
    private static final Setting<Double> LOAD_WEIGHT = Setting.weight("loadWeight", 4.0,
        "Blocks of 512 tokens that an active request costs.");

    /** Declares the router. */
    public static final class Provider extends DpRouterProvider
    {
        public Provider()
        {
            super("ramjet", 2, "Least 4 * (requests + pending / 8192) - matched blocks of 512 tokens, at most 32; Ramjet.",
                BASIS, LOAD_WEIGHT);
        }

        @Override
        public DpRouter create(final SettingValues values, final int ranks)
        {
            return new RamjetDpRouter(values);
        }
    }

    private final Basis basis;
    private final double loadWeight;
    private int next;
    private int shortest;
    private int longest;
    private int secondLongest;

    /** @param values of the knobs that the {@link Provider} declares. */
    RamjetDpRouter(final SettingValues values)
    {
        basis = values.get(BASIS);
        loadWeight = values.get(LOAD_WEIGHT);
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
    protected void consider(final PlacementBatch batch, final int request)
    {
        shortest = Integer.MAX_VALUE;
        longest = 0;
        secondLongest = 0;
        for (int rank = 0; rank < batch.ranks(); rank++)
        {
            if (batch.hasRoom(rank))
            {
                final int matched = matchedBlocks(batch, request, rank);
                shortest = Math.min(shortest, matched);
                secondLongest = Math.max(secondLongest, Math.min(longest, matched));
                longest = Math.max(longest, matched);
            }
        }
    }

    private static int matchedBlocks(final PlacementBatch batch, final int request, final int rank)
    {
        return batch.matchedTokens(request, rank) / BLOCK_TOKENS;
    }

    private int affinity(final PlacementBatch batch, final int request, final int rank)
    {
        final int matched = matchedBlocks(batch, request, rank);
        final int compared = basis == Basis.ABSOLUTE ? 0 : basis == Basis.RELATIVE ? shortest :
            matched == longest ? secondLongest : longest;
        return Math.max(0, Math.min(MOST_BLOCKS, matched - compared));
    }

    @Override
    protected double score(final PlacementBatch batch, final int request, final int rank)
    {
        final int affinity = affinity(batch, request, rank);
        final double load = loadWeight * (batch.activeRequests(rank) + batch.loadTokens(rank) / TOKENS_OF_A_REQUEST);
        final double score = load - affinity;
        batch.candidate(request, rank, score, 0, load, affinity * BLOCK_TOKENS);
        return score;
    }

    @Override
    protected TieRule tieRule(final PlacementBatch batch, final int rank, final int other)
    {
        return TieRule.ROUND_ROBIN;
    }

    /** The first rank from the one after the last choice. */
    @Override
    protected boolean winsTie(final PlacementBatch batch, final int request, final int rank, final int best)
    {
        return turn(batch, rank) < turn(batch, best);
    }

    private int turn(final PlacementBatch batch, final int rank)
    {
        return (rank - next + batch.ranks()) % batch.ranks();
    }

    @Override
    protected void placed(final PlacementBatch batch, final int request, final int rank)
    {
        next = (rank + 1) % batch.ranks();
    }
}
