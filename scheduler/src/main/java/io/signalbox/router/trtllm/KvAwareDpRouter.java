// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router.trtllm;

import io.signalbox.ConfigException;
import io.signalbox.StateDigest;
import io.signalbox.config.Setting;
import io.signalbox.config.SettingValues;
import io.signalbox.router.DpRouter;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.ExplicitPlacement;
import io.signalbox.router.MatchGate;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.PlacementOrder;
import io.signalbox.router.RankFigure;
import io.signalbox.router.RouterConfig;
import io.signalbox.router.TieRule;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Visits prompts with a common beginning one after another, and sends each to the rank with the lowest
 * {@link KvAwareScore}: TensorRT-LLM's KV-cache-aware attention-DP router of commit 04fe30a9. A rank's load is the number
 * of its requests' prompt tokens that were not cached when they were placed. Matches count only if the best one covers
 * more than a given share of the prompt (the gate). Ties go to the lower load, then to the first in an order shuffled by
 * the request id.
 *
 * <p>If warm-up is on, every rank gets a first request in turn, so that each caches the common beginning of the prompts.
 */
public final class KvAwareDpRouter implements DpRouter
{
    private static final Setting<Double> MATCH_RATE_THRESHOLD = Setting.real("matchRateThreshold", "", 0.1, 0.0, 1.0,
        "Share of a prompt that the best match must exceed for matches to count.");
    static final Setting<Double> FAIR_SHARE_MULTIPLIER = Setting.real("fairShareMultiplier", "", 2.0, 1.0, Double.MAX_VALUE,
        "Multiple of its fair share of all requests that a rank may hold.");
    private static final Setting<Boolean> COLD_START_WARMUP = Setting.flag("coldStartWarmup", false,
        "Give every rank a first request in turn.");

    /** Declares the router. */
    public static final class Provider extends DpRouterProvider
    {
        public Provider()
        {
            super("kv-aware", 1,
                "kv-aware-pr with match gate, fair-share cap, seeded ties, warm-up and load net of hits.",
                KvAwareScore.BETA, MATCH_RATE_THRESHOLD, FAIR_SHARE_MULTIPLIER, COLD_START_WARMUP);
        }

        @Override
        public DpRouter create(final SettingValues values, final int ranks)
        {
            return new KvAwareDpRouter(ranks, values.get(KvAwareScore.BETA), values.get(MATCH_RATE_THRESHOLD),
                values.get(FAIR_SHARE_MULTIPLIER), values.get(COLD_START_WARMUP));
        }

        @Override
        public DpRouterProvider withoutPrefixCaching()
        {
            return new DefaultDpRouter.Provider();
        }
    }

    private final double beta;
    private final double matchRateThreshold;
    private final double fairShareMultiplier;
    private final boolean coldStartWarmup;
    private final int[] order = new int[PlacementBatch.MAX_REQUESTS];
    private final SeededShuffle shuffle = new SeededShuffle();
    private final int[] tieOrder;
    /** Ranks that wait for their first request. */
    private final boolean[] cold;
    private int coldRanks;

    /**
     * @param beta                weight of the load term.
     * @param matchRateThreshold  the share of a prompt that the best match must exceed to count.
     * @param fairShareMultiplier how far above its fair share of all requests a rank may go. The original takes values
     *                            below 1 as well, under which requests stay unplaced; {@link RouterConfig} refuses them.
     * @param coldStartWarmup     whether every rank gets a first request in turn.
     */
    public KvAwareDpRouter(
        final int ranks,
        final double beta,
        final double matchRateThreshold,
        final double fairShareMultiplier,
        final boolean coldStartWarmup)
    {
        this.beta = beta;
        this.matchRateThreshold = matchRateThreshold;
        this.fairShareMultiplier = fairShareMultiplier;
        this.coldStartWarmup = coldStartWarmup;
        tieOrder = new int[ranks];
        cold = new boolean[ranks];
        Arrays.fill(cold, coldStartWarmup);
        coldRanks = coldStartWarmup ? ranks : 0;
    }

    @Override
    public boolean readsMatches()
    {
        return true;
    }

    @Override
    public long digest()
    {
        long digest = 0;
        for (int rank = 0; coldRanks > 0 && rank < cold.length; rank++)
        {
            digest += cold[rank] ? StateDigest.mix(rank + 1L) : 0;
        }
        return digest;
    }

    @Override
    public long snapshotBytes()
    {
        return cold.length;
    }

    @Override
    public void snapshot(final ByteBuffer into)
    {
        for (final boolean waits : cold)
        {
            into.put((byte)(waits ? 1 : 0));
        }
    }

    @Override
    public void restore(final ByteBuffer from, final int ranks)
    {
        coldRanks = 0;
        for (int rank = 0; rank < cold.length; rank++)
        {
            cold[rank] = from.get() != 0;
            coldRanks += cold[rank] ? 1 : 0;
        }
        if (coldRanks > 0 && !coldStartWarmup)
        {
            throw ConfigException.because("the router snapshot has " + coldRanks + " ranks that wait for a first request, " +
                    "and ", new ConfigException.Named("coldStartWarmup", "false"), " deals none")
                .allowed("true").remedy("give coldStartWarmup=true");
        }
    }

    /** Whether the rank still waits for its first request of the warm-up. */
    public boolean isCold(final int rank)
    {
        return cold[rank];
    }

    @Override
    public void place(final PlacementBatch batch)
    {
        batch.loadFrom(RankFigure.UNCACHED_TOKENS);
        PlacementOrder.strictFirst(batch, false, order);
        int open = 0;
        for (int i = 0; i < batch.count(); i++)
        {
            if (!placeExplicitly(batch, order[i]))
            {
                order[open++] = order[i];
            }
        }
        batch.target(Math.min(PlacementOrder.target(batch, open, fairShareMultiplier), batch.maxActive()));
        PlacementOrder.byHead(batch, order, open);
        for (int i = 0; i < open; i++)
        {
            placeOne(batch, order[i]);
        }
    }

    private boolean placeExplicitly(final PlacementBatch batch, final int request)
    {
        final boolean hinted = batch.rankHint(request) != PlacementBatch.NO_RANK;
        final int rank = hinted ? batch.rankHint(request) : firstCold(batch);
        if (rank == PlacementBatch.NO_RANK || !batch.hasRoom(rank))
        {
            return false;
        }
        ExplicitPlacement.on(
            batch, request, rank, batch.uncachedTokens(request, rank), hinted ? TieRule.HINT : TieRule.WARM_UP);
        warmed(rank);
        return true;
    }

    private int firstCold(final PlacementBatch batch)
    {
        for (int rank = 0; coldRanks > 0 && rank < cold.length; rank++)
        {
            if (cold[rank] && !batch.isLost(rank))
            {
                return rank;
            }
        }
        return PlacementBatch.NO_RANK;
    }

    /** A request that was placed by its score warms no rank up, because the original does not count it. */
    private void warmed(final int rank)
    {
        if (cold[rank])
        {
            cold[rank] = false;
            coldRanks--;
        }
    }

    private void placeOne(final PlacementBatch batch, final int request)
    {
        final double normaliser = KvAwareScore.normaliser(batch, request);
        final boolean open = isGateOpen(batch, request);
        batch.normaliser(request, normaliser);
        batch.gate(request, open ? MatchGate.OPEN : MatchGate.CLOSED);
        int best = PlacementBatch.NO_RANK;
        double bestScore = 0;
        int sameScore = 0;
        int sameLoad = 0;
        for (int rank = 0; rank < batch.ranks(); rank++)
        {
            if (!PlacementOrder.isEligible(batch, rank))
            {
                continue;
            }
            final int matchUsed = open ? batch.matchedTokens(request, rank) : 0;
            final double score = KvAwareScore.of(batch, request, rank, normaliser, beta, matchUsed);
            final boolean first = best == PlacementBatch.NO_RANK;
            final boolean same = !first && score == bestScore;
            sameScore = first || score < bestScore ? 1 : same ? sameScore + 1 : sameScore;
            if (first || score < bestScore || same && batch.loadTokens(rank) < batch.loadTokens(best))
            {
                best = rank;
                bestScore = score;
                sameLoad = 1;
            }
            else if (same && batch.loadTokens(rank) == batch.loadTokens(best))
            {
                sameLoad++;
            }
        }
        if (best != PlacementBatch.NO_RANK)
        {
            final int rank = sameLoad > 1 ? firstOfTied(batch, request, best) : best;
            batch.choose(request, rank, batch.uncachedTokens(request, rank),
                sameLoad > 1 ? TieRule.SEEDED_ORDER : sameScore > 1 ? TieRule.LEAST_LOAD : TieRule.NONE);
        }
    }

    private boolean isGateOpen(final PlacementBatch batch, final int request)
    {
        int longest = 0;
        for (int rank = 0; rank < batch.ranks(); rank++)
        {
            longest = PlacementOrder.isEligible(batch, rank) ?
                Math.max(longest, batch.matchedTokens(request, rank)) : longest;
        }
        return (double)longest / Math.max(batch.promptTokens(request), 1) > matchRateThreshold;
    }

    /** The order is drawn only here: among candidates that differ in score or load it decides nothing. */
    private int firstOfTied(final PlacementBatch batch, final int request, final int best)
    {
        int candidates = 0;
        for (int rank = 0; rank < batch.ranks(); rank++)
        {
            if (batch.isCandidate(request, rank))
            {
                tieOrder[candidates++] = rank;
            }
        }
        shuffle.shuffle(batch.requestId(request), tieOrder, candidates);
        for (int i = 0; i < candidates; i++)
        {
            final int rank = tieOrder[i];
            if (batch.score(request, rank) == batch.score(request, best) &&
                batch.loadTokens(rank) == batch.loadTokens(best))
            {
                return rank;
            }
        }
        return best;
    }
}
