// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.batch.Request;
import io.signalbox.batch.RequestQueue;
import io.signalbox.router.DpRouter;
import io.signalbox.router.PlacementBatch;

/** Takes requests off the queue, as many as the ranks have room for, and lets the router place them. */
final class Placement
{
    private final DpRouter router;
    private final DpRank[] ranks;
    private final int maxActive;
    private final PlacementBatch batch;
    private final Request[] batched = new Request[PlacementBatch.MAX_REQUESTS];
    private final RequestQueue unplaced = new RequestQueue();

    Placement(final DpRouter router, final DpRank[] ranks, final int maxActive)
    {
        this.router = router;
        this.ranks = ranks;
        this.maxActive = maxActive;
        batch = new PlacementBatch(ranks.length, maxActive);
    }

    int ranksLeft()
    {
        int left = 0;
        for (final DpRank rank : ranks)
        {
            left += rank.isLost() ? 0 : 1;
        }
        return left;
    }

    void place(final RequestQueue queue, final OutputEncoder out)
    {
        while (!queue.isEmpty())
        {
            final int placed = placeBatch(queue, out);
            if (placed == 0)
            {
                break;
            }
        }
        while (!unplaced.isEmpty())
        {
            queue.addFirst(unplaced.removeLast());
        }
    }

    private int placeBatch(final RequestQueue queue, final OutputEncoder out)
    {
        long room = room();
        batch.clear();
        readRanks();
        while (room > 0 && !queue.isEmpty() && batch.count() < PlacementBatch.MAX_REQUESTS)
        {
            add(queue.removeFirst());
            room--;
        }
        if (batch.count() == 0)
        {
            return 0;
        }
        router.place(batch);
        int placed = 0;
        for (int i = 0; i < batch.count(); i++)
        {
            final Request request = batched[i];
            batched[i] = null;
            if (batch.chosenRank(i) == PlacementBatch.NO_RANK)
            {
                unplaced.addLast(request);
                continue;
            }
            out.placed(request.id(), batch, i);
            ranks[batch.chosenRank(i)].planner.place(request);
            placed++;
        }
        return placed;
    }

    private long room()
    {
        long room = 0;
        for (final DpRank rank : ranks)
        {
            room += rank.isLost() ? 0 : Math.max(0, maxActive - rank.planner.activeRequests());
        }
        return room;
    }

    private void readRanks()
    {
        for (int i = 0; i < ranks.length; i++)
        {
            batch.rank(i, ranks[i].planner.activeRequests(), ranks[i].planner.promptTokens(), ranks[i].isLost());
        }
    }

    private void add(final Request request)
    {
        final int hint = request.rankHint();
        final boolean hintIsLost = hint >= 0 && hint < ranks.length && ranks[hint].isLost();
        final int usableHint = hintIsLost ? PlacementBatch.NO_RANK : hint;
        final int index = batch.add(request.promptTokens(), usableHint, request.hintRelaxed());
        batched[index] = request;
        if (router.readsMatches())
        {
            for (int rank = 0; rank < ranks.length; rank++)
            {
                batch.matchedTokens(index, rank, ranks[rank].planner.matchedTokens(request));
            }
        }
    }
}
