// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router.published;

import io.signalbox.router.GateState;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.RouterPolicy;
import io.signalbox.router.ScoredDpRouter;
import io.signalbox.router.SglangKnobs;

/**
 * The cache-aware rule of SGLang's gateway. Where the ranks are out of balance, which is when the most active requests of a
 * rank exceed the fewest by more than {@code imbalance} and by more than {@code imbalanceRatio} times: the shortest queue.
 * Else, where some rank has more than {@code cacheThreshold} of the prompt: the longest match. Else the shortest queue.
 */
public final class SglangCacheAwareDpRouter extends ScoredDpRouter
{
    private final SglangKnobs knobs;
    private boolean byMatch;

    public SglangCacheAwareDpRouter(final SglangKnobs knobs)
    {
        this.knobs = knobs;
    }

    @Override
    public RouterPolicy policy()
    {
        return RouterPolicy.SGLANG_CACHE_AWARE;
    }

    @Override
    protected void consider(final PlacementBatch batch, final int request)
    {
        int fewest = Integer.MAX_VALUE;
        int most = 0;
        int longest = 0;
        for (int rank = 0; rank < batch.ranks(); rank++)
        {
            if (!batch.isLost(rank))
            {
                fewest = Math.min(fewest, batch.activeRequests(rank));
                most = Math.max(most, batch.activeRequests(rank));
            }
            if (batch.hasRoom(rank))
            {
                longest = Math.max(longest, batch.matchedTokens(request, rank));
            }
        }
        final boolean balanced = most - fewest <= knobs.imbalance() || most <= knobs.imbalanceRatio() * fewest;
        byMatch = balanced && longest > knobs.cacheThreshold() * batch.promptTokens(request);
        batch.gate(request, byMatch ? GateState.OPEN : GateState.CLOSED);
    }

    @Override
    protected double score(final PlacementBatch batch, final int request, final int rank)
    {
        final int matched = batch.matchedTokens(request, rank);
        final double newWork = (double)batch.promptTokens(request) - matched;
        final double load = batch.activeRequests(rank);
        final double score = byMatch ? newWork : load;
        batch.candidate(request, rank, score, newWork, load, byMatch ? matched : 0);
        return score;
    }
}
