// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.batch.Request;
import io.signalbox.batch.RequestQueue;
import io.signalbox.event.codec.PlacedEncoder;
import io.signalbox.router.DpRouter;
import io.signalbox.router.PlacementBatch;

/** Takes requests off the queue, as many as the ranks have room for, and lets the router place them. */
final class Placement
{
    /** Decisions of one plan point; the rest waits for the next, so that no burst outgrows a group. */
    private static final int MAX_DECISION_BYTES = 16 * 1024 * 1024;
    private static final int PLACED_BYTES = 64;

    private final DpRouter router;
    private final DpRank[] ranks;
    private final int maxActive;
    private final int maxPlaced;
    private final PlacementBatch batch;
    private final Request[] batched = new Request[PlacementBatch.MAX_REQUESTS];
    private final RequestQueue unplaced = new RequestQueue();

    Placement(final DpRouter router, final DpRank[] ranks, final int maxActive)
    {
        this.router = router;
        this.ranks = ranks;
        this.maxActive = maxActive;
        maxPlaced = MAX_DECISION_BYTES /
            (PLACED_BYTES + ranks.length * PlacedEncoder.CandidatesEncoder.sbeBlockLength());
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

    /** @return whether the queue still holds requests that were not considered. */
    boolean place(final RequestQueue queue, final OutputEncoder out)
    {
        // A batch may hold nothing but requests that wait for one full rank; those behind them may go elsewhere.
        int left = maxPlaced;
        while (left > 0 && !queue.isEmpty() && room() > 0)
        {
            left -= placeBatch(queue, out, left);
        }
        final boolean unconsidered = !queue.isEmpty() && room() > 0;
        while (!unplaced.isEmpty())
        {
            queue.addFirst(unplaced.removeLast());
        }
        return unconsidered;
    }

    private int placeBatch(final RequestQueue queue, final OutputEncoder out, final int most)
    {
        final long size = Math.min(Math.min(room(), most), PlacementBatch.MAX_REQUESTS);
        batch.clear();
        readRanks();
        while (batch.count() < size && !queue.isEmpty())
        {
            add(queue.removeFirst());
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
