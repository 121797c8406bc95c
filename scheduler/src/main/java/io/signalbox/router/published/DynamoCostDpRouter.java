// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router.published;

import io.signalbox.StateDigest;
import io.signalbox.router.DynamoKnobs;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.RankFigure;
import io.signalbox.router.RouterPolicy;
import io.signalbox.router.ScoredDpRouter;

import java.util.Arrays;

/**
 * The cost of NVIDIA Dynamo's KV router, in tokens: {@code max(0, pending + T - credit * matched) + context + T}, pending
 * being the prompt tokens still to compute and context those whose KV the rank holds. At temperature 0 the lowest cost;
 * above it a rank drawn with weight {@code exp(-normalised cost / temperature)}, costs normalised to 0 to 1 between the
 * candidates; the draw is a function of seed and request id.
 */
public final class DynamoCostDpRouter extends ScoredDpRouter
{
    private static final double UNIT = 0x1.0p-53;

    private final DynamoKnobs knobs;
    private final long seed;
    private final long[] placedTokens;
    private int drawn = PlacementBatch.NO_RANK;

    public DynamoCostDpRouter(final DynamoKnobs knobs, final long seed, final int ranks)
    {
        this.knobs = knobs;
        this.seed = seed;
        placedTokens = new long[ranks];
    }

    @Override
    public RouterPolicy policy()
    {
        return RouterPolicy.DYNAMO_COST;
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
        drawn = knobs.temperature() == 0 ? PlacementBatch.NO_RANK : draw(batch, request);
    }

    /** A rank by weight, or none where no rank has room. */
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

    /** By the strict library, whose last bit is the same on every machine. */
    private double weight(final double cost, final double lowest, final double highest)
    {
        return highest == lowest ? 1 : StrictMath.exp(-(cost - lowest) / (highest - lowest) / knobs.temperature());
    }

    private double cost(final PlacementBatch batch, final int request, final int rank)
    {
        return newWork(batch, request, rank) + loadTerm(batch, request, rank);
    }

    private double newWork(final PlacementBatch batch, final int request, final int rank)
    {
        final double raw = (double)batch.loadTokens(rank) + batch.promptTokens(request);
        return Math.max(0, raw - knobs.overlapCredit() * batch.matchedTokens(request, rank));
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
        return rank == drawn ? Double.NEGATIVE_INFINITY : newWork + loadTerm;
    }
}
