// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router.published;

import io.signalbox.router.MatchGate;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.ScoredDpRouter;

/** A router whose matches decide only if the ranks are in balance and the longest match is long enough. */
abstract class GatedMatchDpRouter extends ScoredDpRouter
{
    private final double matchThreshold;
    private final int imbalance;
    private final double imbalanceRatio;
    private int longest;
    private boolean byMatch;

    /**
     * @param matchThreshold share of a prompt that the longest match must exceed.
     * @param imbalance      requests by which the fullest rank may exceed the emptiest before load decides.
     * @param imbalanceRatio how many times the emptiest rank's requests the fullest must have for the same.
     */
    GatedMatchDpRouter(final double matchThreshold, final int imbalance, final double imbalanceRatio)
    {
        this.matchThreshold = matchThreshold;
        this.imbalance = imbalance;
        this.imbalanceRatio = imbalanceRatio;
    }

    @Override
    protected void consider(final PlacementBatch batch, final int request)
    {
        int fewest = Integer.MAX_VALUE;
        int most = 0;
        longest = 0;
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
        final boolean balanced = most - fewest <= imbalance || most <= imbalanceRatio * fewest;
        byMatch = balanced && longest > matchThreshold * batch.promptTokens(request);
        batch.gate(request, byMatch ? MatchGate.OPEN : MatchGate.CLOSED);
    }

    /** Whether matches decide where the request goes. */
    final boolean byMatch()
    {
        return byMatch;
    }

    /** Tokens of the longest match of the request, on a rank that has room. */
    final int longest()
    {
        return longest;
    }
}
