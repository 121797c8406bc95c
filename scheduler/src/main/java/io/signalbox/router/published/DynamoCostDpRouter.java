// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router.published;

import io.signalbox.StateDigest;
import io.signalbox.config.Setting;
import io.signalbox.config.SettingValues;
import io.signalbox.router.DpRouter;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.RankFigure;
import io.signalbox.router.ScoredDpRouter;

import java.util.Arrays;

/**
 * The cost of NVIDIA Dynamo's KV router, in tokens: {@code max(0, pending + T - credit * matched) + context + T}.
 * {@code pending} counts the prompt tokens that are not computed yet, {@code context} the tokens whose KV the rank holds.
 * At temperature 0 the lowest cost wins. Above 0 a rank is drawn with weight {@code exp(-normalised cost / temperature)};
 * costs are normalised to the range 0 to 1 over the candidates. The draw is a function of seed and request id.
 */
public final class DynamoCostDpRouter extends ScoredDpRouter
{
    private static final Setting<Double> OVERLAP_CREDIT = Setting.weight("overlapCredit", 1.0,
        "Tokens of prefill that a matched token is worth.");
    private static final Setting<Double> TEMPERATURE = Setting.real("temperature", "", 0.0, 0.0, Double.MAX_VALUE,
        "Temperature of the draw between ranks; 0 takes the lowest cost.");
    private static final Setting<Long> SEED = Setting.number("seed", "", 0, Long.MIN_VALUE, Long.MAX_VALUE,
        "Seed of the draw.");
    /** Declares the router. */
    public static final class Provider extends DpRouterProvider
    {
        public Provider()
        {
            super("dynamo-cost", 1,
                "max(0, pending + T - credit * m) + context + T, or a seeded draw; NVIDIA Dynamo.",
                OVERLAP_CREDIT, TEMPERATURE, SEED);
        }

        @Override
        public DpRouter create(final SettingValues values, final int ranks)
        {
            return new DynamoCostDpRouter(
                values.get(OVERLAP_CREDIT), values.get(TEMPERATURE), values.get(SEED), ranks);
        }
    }

    private static final double UNIT = 0x1.0p-53;

    private final double overlapCredit;
    private final double temperature;
    private final long seed;
    private final long[] placedTokens;
    private int drawn = PlacementBatch.NO_RANK;

    /**
     * @param overlapCredit tokens of prefill that a matched token is worth.
     * @param temperature   of the draw between ranks; 0 takes the lowest cost.
     * @param seed          of the draw.
     */
    DynamoCostDpRouter(final double overlapCredit, final double temperature, final long seed, final int ranks)
    {
        this.overlapCredit = overlapCredit;
        this.temperature = temperature;
        this.seed = seed;
        placedTokens = new long[ranks];
    }

    @Override
    protected void begin(final PlacementBatch batch)
    {
        Arrays.fill(placedTokens, 0);
    }

    @Override
    protected void placed(final PlacementBatch batch, final int request, final int rank)
    {
        placedTokens[rank] += batch.promptTokens(request);
    }

    @Override
    protected void consider(final PlacementBatch batch, final int request)
    {
        drawn = temperature == 0 ? PlacementBatch.NO_RANK : draw(batch, request);
    }

    /** Draws a rank by weight; none if no rank has room. */
    private int draw(final PlacementBatch batch, final int request)
    {
        double lowest = Double.POSITIVE_INFINITY;
        double highest = Double.NEGATIVE_INFINITY;
        for (int rank = 0; rank < batch.ranks(); rank++)
        {
            if (batch.hasRoom(rank))
            {
                lowest = Math.min(lowest, cost(batch, request, rank));
                highest = Math.max(highest, cost(batch, request, rank));
            }
        }
        double weights = 0;
        for (int rank = 0; rank < batch.ranks(); rank++)
        {
            weights += batch.hasRoom(rank) ? weight(cost(batch, request, rank), lowest, highest) : 0;
        }
        double left = (StateDigest.mix(seed, batch.requestId(request)) >>> 11) * UNIT * weights;
        int last = PlacementBatch.NO_RANK;
        for (int rank = 0; rank < batch.ranks() && left >= 0; rank++)
        {
            if (batch.hasRoom(rank))
            {
                left -= weight(cost(batch, request, rank), lowest, highest);
                last = rank;
            }
        }
        return last;
    }

    /** {@link StrictMath} gives the same bits on every machine. */
    private double weight(final double cost, final double lowest, final double highest)
    {
        return highest == lowest ? 1 : StrictMath.exp(-(cost - lowest) / (highest - lowest) / temperature);
    }

    private double cost(final PlacementBatch batch, final int request, final int rank)
    {
        return newWork(batch, request, rank) + loadTerm(batch, request, rank);
    }

    private double newWork(final PlacementBatch batch, final int request, final int rank)
    {
        final double raw = (double)batch.loadTokens(rank) + batch.promptTokens(request);
        return Math.max(0, raw - overlapCredit * batch.matchedTokens(request, rank));
    }

    private double loadTerm(final PlacementBatch batch, final int request, final int rank)
    {
        return (double)batch.figure(rank, RankFigure.CONTEXT_TOKENS) + placedTokens[rank] + batch.promptTokens(request);
    }

    @Override
    protected double score(final PlacementBatch batch, final int request, final int rank)
    {
        final double newWork = newWork(batch, request, rank);
        final double loadTerm = loadTerm(batch, request, rank);
        batch.candidate(request, rank, newWork + loadTerm, newWork, loadTerm, batch.matchedTokens(request, rank));
        // A cost is never negative.
        return rank == drawn ? -1 : newWork + loadTerm;
    }
}
