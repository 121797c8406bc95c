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
 * The cost of NVIDIA Dynamo's KV router, in tokens:
 *
 * <pre>
 *   credit = overlapCredit * matched / (1 + overlapDecay * excess / T)
 *   cost   = prefillScale * max(0, pending + T - credit) + context + T + requestTokens * active
 * </pre>
 *
 * <p>{@code pending} counts the prompt tokens that are not computed yet, {@code excess} those above the least pending of the
 * candidates, {@code context} the tokens whose KV the rank holds. Dynamo counts in blocks, which divides every term by the
 * block size and changes no choice. Its credits for KV in host memory, on disk and in shared caches, its cost of workers
 * that only decode, and its taint multiplier do not apply: a rank has one tier and does both phases.
 *
 * <p>At temperature 0 the lowest cost wins. Above 0 a rank is drawn with weight {@code exp(-normalised cost / temperature)};
 * costs are normalised to the range 0 to 1 over the candidates. The draw is a function of seed and request id.
 */
public final class DynamoCostDpRouter extends ScoredDpRouter
{
    private static final Setting<Double> OVERLAP_CREDIT = Setting.weight("overlapCredit", 1.0,
        "Tokens of prefill that a matched token is worth.");
    private static final Setting<Double> OVERLAP_DECAY = Setting.weight("overlapDecay", 0.0,
        "How fast that credit falls with the pending tokens above the least pending rank; 0: not at all.").omitted(0.0);
    private static final Setting<Double> PREFILL_SCALE = Setting.weight("prefillScale", 1.0,
        "Weight of the tokens to compute, relative to the tokens whose KV the rank holds.").omitted(1.0);
    private static final Setting<Double> REQUEST_TOKENS = Setting.weight("requestTokens", 0.0,
        "Cost of an active request, in tokens.").omitted(0.0);
    private static final Setting<Double> TEMPERATURE = Setting.real("temperature", "", 0.0, 0.0, Double.MAX_VALUE,
        "Temperature of the draw between ranks; 0 takes the lowest cost.");
    private static final Setting<Long> SEED = Setting.number("seed", "", 0, Long.MIN_VALUE, Long.MAX_VALUE,
        "Seed of the draw.");
    /** The preset for agents credits a match twice and charges 64 blocks of 16 tokens per request. */
    private static final Setting<Double> AGENTIC_CREDIT = preset(OVERLAP_CREDIT, 2.0);
    private static final Setting<Double> AGENTIC_SCALE = preset(PREFILL_SCALE, 4.0);
    private static final Setting<Double> AGENTIC_REQUEST = preset(REQUEST_TOKENS, 1024.0);
    /** The preset for load alone ignores matches. */
    private static final Setting<Double> NO_CREDIT = preset(OVERLAP_CREDIT, 0.0);

    private static Setting<Double> preset(final Setting<Double> knob, final double value)
    {
        return Setting.weight(knob.name(), value, knob.meaning());
    }

    /** Declares the router. */
    public static final class Provider extends DpRouterProvider
    {
        public Provider()
        {
            super("dynamo-cost", 1,
                "scale * max(0, pending + T - credit * m) + context + T, or a seeded draw; NVIDIA Dynamo.",
                OVERLAP_CREDIT, TEMPERATURE, SEED, OVERLAP_DECAY, PREFILL_SCALE, REQUEST_TOKENS);
        }

        @Override
        public DpRouter create(final SettingValues values, final int ranks)
        {
            return new DynamoCostDpRouter(
                new Weights(values.get(OVERLAP_CREDIT), values.get(OVERLAP_DECAY), values.get(PREFILL_SCALE),
                    values.get(REQUEST_TOKENS)), values.get(TEMPERATURE), values.get(SEED), ranks);
        }
    }

    /** Declares the preset for agents. */
    public static final class AgenticProvider extends DpRouterProvider
    {
        public AgenticProvider()
        {
            super("dynamo-agentic", 1, "dynamo-cost with the preset for agents: follows matches, counts requests.",
                AGENTIC_CREDIT, OVERLAP_DECAY, AGENTIC_SCALE, AGENTIC_REQUEST);
        }

        @Override
        public DpRouter create(final SettingValues values, final int ranks)
        {
            return new DynamoCostDpRouter(
                new Weights(values.get(AGENTIC_CREDIT), values.get(OVERLAP_DECAY), values.get(AGENTIC_SCALE),
                    values.get(AGENTIC_REQUEST)), 0, 0, ranks);
        }
    }

    /** Declares the preset that ignores matches. */
    public static final class LoadAwareProvider extends DpRouterProvider
    {
        public LoadAwareProvider()
        {
            super("dynamo-load-aware", 1, "dynamo-cost with the preset that ignores matches.",
                NO_CREDIT, PREFILL_SCALE, REQUEST_TOKENS);
        }

        @Override
        public DpRouter create(final SettingValues values, final int ranks)
        {
            return new DynamoCostDpRouter(new Weights(values.get(NO_CREDIT), 0, values.get(PREFILL_SCALE),
                values.get(REQUEST_TOKENS)), 0, 0, ranks);
        }
    }

    /**
     * The weights of the cost.
     *
     * @param credit        tokens of prefill that a matched token is worth.
     * @param decay         how fast the credit falls with the excess of the rank.
     * @param scale         of the tokens to compute.
     * @param requestTokens cost of an active request.
     */
    record Weights(double credit, double decay, double scale, double requestTokens)
    {
    }

    private static final double UNIT = 0x1.0p-53;

    private final Weights weights;
    private final double temperature;
    private final long seed;
    private final long[] placedTokens;
    private long leastPending;
    private int drawn = PlacementBatch.NO_RANK;

    /**
     * @param temperature of the draw between ranks; 0 takes the lowest cost.
     * @param seed        of the draw.
     */
    DynamoCostDpRouter(final Weights weights, final double temperature, final long seed, final int ranks)
    {
        this.weights = weights;
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
        leastPending = Long.MAX_VALUE;
        for (int rank = 0; rank < batch.ranks() && weights.decay > 0; rank++)
        {
            leastPending = batch.hasRoom(rank) ? Math.min(leastPending, batch.loadTokens(rank)) : leastPending;
        }
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
        return weights.scale * Math.max(0, raw - credit(batch, request, rank) * batch.matchedTokens(request, rank));
    }

    private double credit(final PlacementBatch batch, final int request, final int rank)
    {
        return weights.decay == 0 ? weights.credit : weights.credit / (1 + weights.decay *
            (batch.loadTokens(rank) - leastPending) / Math.max(1, batch.promptTokens(request)));
    }

    private double loadTerm(final PlacementBatch batch, final int request, final int rank)
    {
        return (double)batch.figure(rank, RankFigure.CONTEXT_TOKENS) + placedTokens[rank] + batch.promptTokens(request) +
            weights.requestTokens * batch.activeRequests(rank);
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
