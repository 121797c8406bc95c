// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;


/** Places a request on the rank that it names. */
public final class ExplicitPlacement
{
    private ExplicitPlacement()
    {
    }

    /** Honours the request's rank hint, strict or relaxed, if that rank has room. */
    public static boolean onHint(final PlacementBatch batch, final int request, final long load)
    {
        final int hint = batch.rankHint(request);
        if (hint == PlacementBatch.NO_RANK || !batch.hasRoom(hint))
        {
            return false;
        }
        on(batch, request, hint, load, TieRule.HINT);
        return true;
    }

    public static void on(
        final PlacementBatch batch, final int request, final int rank, final long load, final TieRule tieRule)
    {
        final int matched = batch.matchedTokens(request, rank);
        batch.candidate(request, rank, 0.0, batch.promptTokens(request) - matched, 0.0, matched);
        batch.choose(request, rank, load, tieRule);
    }
}
