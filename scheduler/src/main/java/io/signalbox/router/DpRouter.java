// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

/**
 * Chooses a DP rank for each request of a batch. A pure function of the batch: the same batch gives the same
 * decisions on any machine.
 *
 * <p>Every router first honours rank hints where the hinted rank has room, strict hints before relaxed ones (a strict
 * hint without room is left unplaced, a relaxed one joins the others), then places the rest under a per-rank target
 * that spreads requests fairly: after TensorRT-LLM's attention-DP routers.
 *
 * <p>A policy of one's own extends this class: it notes each {@link PlacementBatch#candidate candidate} with its score,
 * so that the journal can tell why, and then {@link PlacementBatch#choose chooses}. It must read nothing but the batch.
 */
public abstract class DpRouter
{
    /** Places every request of the batch that some rank can take. */
    public final void place(final PlacementBatch batch)
    {
        placeHinted(batch, false);
        placeHinted(batch, true);
        placeUnhinted(batch, targetPerRank(batch));
    }

    /**
     * Places the requests that are not yet placed and not bound to a full rank.
     *
     * @param target a rank takes no further request once it holds this many.
     */
    protected abstract void placeUnhinted(PlacementBatch batch, int target);

    /** Prompt lengths only, or prefix matches too: tells the caller whether matches are worth probing. */
    public abstract boolean readsMatches();

    private static void placeHinted(final PlacementBatch batch, final boolean relaxed)
    {
        for (int request = 0; request < batch.count(); request++)
        {
            final int hint = batch.rankHint(request);
            if (hint >= 0 && batch.hintRelaxed(request) == relaxed && hint < batch.ranks() && batch.hasRoom(hint))
            {
                batch.candidate(request, hint, 0.0);
                batch.choose(request, hint, batch.promptTokens(request), PlacementBatch.TieBreak.HINT);
            }
        }
    }

    /** Whether the request is still to be placed, and on a rank of the router's choice. */
    protected static boolean isOpen(final PlacementBatch batch, final int request)
    {
        return batch.chosenRank(request) == PlacementBatch.NO_RANK &&
            (batch.rankHint(request) < 0 || batch.hintRelaxed(request) || batch.rankHint(request) >= batch.ranks());
    }

    /** {@code max(ceil(all requests / ranks), fullest rank)}. */
    private static int targetPerRank(final PlacementBatch batch)
    {
        int total = 0;
        int fullest = 0;
        int ranks = 0;
        for (int rank = 0; rank < batch.ranks(); rank++)
        {
            if (batch.hasRoom(rank) || batch.activeRequests(rank) > 0)
            {
                ranks++;
            }
            total += batch.activeRequests(rank);
            fullest = Math.max(fullest, batch.activeRequests(rank));
        }
        for (int request = 0; request < batch.count(); request++)
        {
            total += isOpen(batch, request) ? 1 : 0;
        }
        return Math.max(ranks == 0 ? 0 : (total + ranks - 1) / ranks, fullest);
    }

    /** Whether the rank may take one more request under the target. */
    protected static boolean isEligible(final PlacementBatch batch, final int rank, final int target)
    {
        return batch.hasRoom(rank) && batch.activeRequests(rank) < target;
    }
}
