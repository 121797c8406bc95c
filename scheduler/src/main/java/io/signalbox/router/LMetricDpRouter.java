// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

/**
 * {@code (T - matched) * (active requests + 1)}: the LMetric product (arXiv 2603.15202), which needs no weight. It counts
 * requests and not tokens, so that a prompt which is cached as a whole goes to its rank however long the queue there is.
 */
public final class LMetricDpRouter extends ScoredDpRouter
{
    @Override
    public boolean readsMatches()
    {
        return true;
    }

    @Override
    public RouterPolicy policy()
    {
        return RouterPolicy.LMETRIC;
    }

    @Override
    RankFigure load()
    {
        return RankFigure.PENDING_PREFILL_TOKENS;
    }

    @Override
    long addedLoad(final PlacementBatch batch, final int request, final int rank)
    {
        return newWork(batch, request, rank);
    }

    @Override
    double score(final PlacementBatch batch, final int request, final int rank)
    {
        final double newWork = newWork(batch, request, rank);
        final double load = batch.activeRequests(rank) + 1.0;
        final double score = newWork * load;
        batch.candidate(request, rank, score, newWork, load, batch.matchedTokens(request, rank));
        return score;
    }

    private static int newWork(final PlacementBatch batch, final int request, final int rank)
    {
        return Math.max(0, batch.promptTokens(request) - batch.matchedTokens(request, rank));
    }
}
