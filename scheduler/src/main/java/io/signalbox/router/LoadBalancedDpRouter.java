// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

/**
 * Longest prompt first, each to the rank with the least load; among equals the rank with fewer requests, then the
 * lower index. A rank's load is the sum of the prompt lengths of its requests.
 */
public final class LoadBalancedDpRouter extends DpRouter
{
    private final int[] order = new int[PlacementBatch.MAX_REQUESTS];

    @Override
    public boolean readsMatches()
    {
        return false;
    }

    @Override
    protected void placeUnhinted(final PlacementBatch batch, final int target)
    {
        final int open = longestFirst(batch);
        for (int i = 0; i < open; i++)
        {
            placeOne(batch, order[i], target);
        }
    }

    private void placeOne(final PlacementBatch batch, final int request, final int target)
    {
        int best = PlacementBatch.NO_RANK;
        boolean tied = false;
        for (int rank = 0; rank < batch.ranks(); rank++)
        {
            if (!isEligible(batch, rank, target))
            {
                continue;
            }
            batch.candidate(request, rank, batch.loadTokens(rank));
            if (best == PlacementBatch.NO_RANK || batch.loadTokens(rank) < batch.loadTokens(best))
            {
                best = rank;
                tied = false;
            }
            else if (batch.loadTokens(rank) == batch.loadTokens(best))
            {
                tied = true;
                best = batch.activeRequests(rank) < batch.activeRequests(best) ? rank : best;
            }
        }
        if (best != PlacementBatch.NO_RANK)
        {
            batch.choose(request, best, batch.promptTokens(request),
                tied ? PlacementBatch.TieBreak.FEWEST_REQUESTS_THEN_LOWEST_RANK : PlacementBatch.TieBreak.NONE);
        }
    }

    /** Stable insertion sort by prompt length, descending: batches are small and mostly short. */
    private int longestFirst(final PlacementBatch batch)
    {
        int open = 0;
        for (int request = 0; request < batch.count(); request++)
        {
            if (!isOpen(batch, request))
            {
                continue;
            }
            int at = open++;
            while (at > 0 && batch.promptTokens(order[at - 1]) < batch.promptTokens(request))
            {
                order[at] = order[at - 1];
                at--;
            }
            order[at] = request;
        }
        return open;
    }
}
