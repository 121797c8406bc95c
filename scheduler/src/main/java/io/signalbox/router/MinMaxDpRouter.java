// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

/**
 * The least prefill work after the placement, {@code pending + T - matched}; among equals the lower load, then fewer
 * requests: the rule that vLLM's tpu-inference took for DP ranks in lock-step, where the rank with the most work is the
 * one that all wait for. Its third key, the least output to come, cannot be known here.
 */
public final class MinMaxDpRouter extends ScoredDpRouter
{
    @Override
    public boolean readsMatches()
    {
        return true;
    }

    @Override
    public RouterPolicy policy()
    {
        return RouterPolicy.MIN_MAX;
    }

    @Override
    RankFigure load()
    {
        return RankFigure.PENDING_PREFILL_TOKENS;
    }

    @Override
    long addedLoad(final PlacementBatch batch, final int request, final int rank)
    {
        return Math.max(0, batch.promptTokens(request) - batch.matchedTokens(request, rank));
    }

    @Override
    double score(final PlacementBatch batch, final int request, final int rank)
    {
        final double newWork = addedLoad(batch, request, rank);
        final double load = batch.loadTokens(rank);
        batch.candidate(request, rank, newWork + load, newWork, load, batch.matchedTokens(request, rank));
        return newWork + load;
    }
}
