// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

/**
 * In order of arrival, each request to the rank with the lowest
 * {@code score = effectiveTokens + beta * normalisedLoad}, where {@code effectiveTokens = T - matched} are the tokens
 * the rank would still have to compute and {@code normalisedLoad = load / D * T} with {@code D} the larger of the
 * summed load of the candidates and {@code T}: the formula of TensorRT-LLM's KV-cache-aware attention-DP router in its
 * first version (PR 12315). Ties go to the lowest rank.
 */
public final class KvAwareDpRouter extends DpRouter
{
    private final double beta;

    /** @param beta weight of the load term, finite and not negative. */
    public KvAwareDpRouter(final double beta)
    {
        this.beta = beta;
    }

    @Override
    public boolean readsMatches()
    {
        return true;
    }

    @Override
    protected void placeUnhinted(final PlacementBatch batch, final int target)
    {
        for (int request = 0; request < batch.count(); request++)
        {
            if (isOpen(batch, request))
            {
                placeOne(batch, request, target);
            }
        }
    }

    private void placeOne(final PlacementBatch batch, final int request, final int target)
    {
        final int tokens = batch.promptTokens(request);
        final double normaliser = Math.max(summedLoad(batch, target), tokens);
        int best = PlacementBatch.NO_RANK;
        boolean tied = false;
        for (int rank = 0; rank < batch.ranks(); rank++)
        {
            if (!isEligible(batch, rank, target))
            {
                continue;
            }
            final double load = batch.loadTokens(rank) / normaliser * tokens;
            final double score = (tokens - batch.matchedTokens(request, rank)) + beta * load;
            batch.candidate(request, rank, score);
            if (best == PlacementBatch.NO_RANK || score < batch.score(request, best))
            {
                best = rank;
                tied = false;
            }
            else
            {
                tied |= score == batch.score(request, best);
            }
        }
        if (best != PlacementBatch.NO_RANK)
        {
            batch.choose(request, best, tokens - batch.matchedTokens(request, best),
                tied ? PlacementBatch.TieBreak.LOWEST_RANK : PlacementBatch.TieBreak.NONE);
        }
    }

    private static long summedLoad(final PlacementBatch batch, final int target)
    {
        long sum = 0;
        for (int rank = 0; rank < batch.ranks(); rank++)
        {
            sum += isEligible(batch, rank, target) ? batch.loadTokens(rank) : 0;
        }
        return sum;
    }
}
