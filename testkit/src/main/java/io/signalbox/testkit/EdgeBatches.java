// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.router.DpRouter;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.PlacementBatchWriter;
import io.signalbox.router.RankFigure;
import io.signalbox.router.Relax;
import io.signalbox.router.RouterConfig;

/** Batches at the ends of what a router can meet. */
enum EdgeBatches
{
    /** No request. */
    EMPTY(3, 4, 0),
    /** Every rank is lost. */
    ALL_RANKS_LOST(3, 4, 5),
    ONE_RANK(1, 8, 8),
    /** As many requests and ranks as a batch holds. */
    LARGEST(EdgeBatches.MOST_RANKS, 4, PlacementBatch.MAX_REQUESTS),
    /** More requests than the ranks have room for, as a router meets them only by a fault elsewhere. */
    MORE_REQUESTS_THAN_ROOM(2, 3, 40),
    /** Prompts without a token. */
    EMPTY_PROMPTS(3, 8, 8),
    /** Prompts and figures as large as they can be, matches beyond the prompt. */
    LARGEST_FIGURES(3, 8, 8),
    /** Hints of every strictness to ranks that are lost or full, or that do not exist. */
    HINTS_THAT_CANNOT_BE_MET(3, 9, 9),
    /** One conversation, and one request id, for all requests. */
    ONE_CONVERSATION(4, 8, 16);

    static final int MOST_RANKS = 1024;
    private static final int PROMPT = 100;
    private static final long MOST_TOKENS = 1L << 40;

    private final int ranks;
    private final int maxActive;
    private final int requests;

    EdgeBatches(final int ranks, final int maxActive, final int requests)
    {
        this.ranks = ranks;
        this.maxActive = maxActive;
        this.requests = requests;
    }

    /** A batch with one request, on ranks that are idle. */
    static PlacementBatch single(final int ranks, final long requestId)
    {
        final PlacementBatchWriter writer = new PlacementBatchWriter(ranks, 1);
        for (int rank = 0; rank < ranks; rank++)
        {
            writer.rank(rank, 0, false);
        }
        writer.maxNewTokens(writer.add(
            requestId, PlacementBatch.NO_CONVERSATION, PROMPT, PlacementBatch.NO_RANK, Relax.NO_PARAMETERS), PROMPT);
        return writer.batch();
    }

    /** Lets a new router place the batch twice; returns its fault in words that follow "the router", or null. */
    String fault(final RouterConfig config)
    {
        final DpRouter router = config.router(ranks, true);
        String fault = null;
        for (int round = 0; round < 2 && fault == null; round++)
        {
            final PlacementBatch batch = batch();
            router.place(batch);
            fault = fault(batch);
            router.ended(newTokens());
        }
        return fault;
    }

    private String fault(final PlacementBatch batch)
    {
        if (this == ALL_RANKS_LOST && batch.decisions() > 0)
        {
            return "placed " + batch.decisions() + " requests although every rank is lost";
        }
        if ((this == ONE_RANK || this == EMPTY_PROMPTS || this == LARGEST_FIGURES) && batch.decisions() == 0)
        {
            return "placed no request of a batch of the kind " + this + " on idle ranks";
        }
        for (int i = 0; i < batch.decisions(); i++)
        {
            final int request = batch.decision(i);
            final int rank = batch.chosenRank(request);
            if (!batch.isCandidate(request, rank) || !Double.isFinite(batch.score(request, rank)))
            {
                return "chose rank " + rank + " in a batch of the kind " + this + " without a candidate whose score is a " +
                    "finite number";
            }
            if (this != MORE_REQUESTS_THAN_ROOM && batch.activeRequests(rank) > maxActive)
            {
                return "put " + batch.activeRequests(rank) + " requests on rank " + rank + ", which holds at most " +
                    maxActive;
            }
        }
        return null;
    }

    /** As many as each request of the batch may generate. */
    private int newTokens()
    {
        return this == LARGEST_FIGURES ? Integer.MAX_VALUE : PROMPT;
    }

    private PlacementBatch batch()
    {
        final PlacementBatchWriter writer = new PlacementBatchWriter(ranks, maxActive);
        final long load = this == LARGEST_FIGURES ? MOST_TOKENS : 0;
        for (int rank = 0; rank < ranks; rank++)
        {
            final boolean full = this == HINTS_THAT_CANNOT_BE_MET && rank == 1;
            writer.rank(rank, full ? maxActive : 0, this == ALL_RANKS_LOST || this == HINTS_THAT_CANNOT_BE_MET && rank == 0);
            for (final RankFigure figure : RankFigure.values())
            {
                writer.figure(rank, figure, full ? PROMPT : load);
            }
        }
        for (int i = 0; i < requests; i++)
        {
            add(writer, i);
        }
        return writer.batch();
    }

    private void add(final PlacementBatchWriter writer, final int index)
    {
        final boolean hinted = this == HINTS_THAT_CANNOT_BE_MET && index % 3 > 0;
        final int hint = !hinted ? PlacementBatch.NO_RANK : index % 4 == 3 ? Integer.MAX_VALUE : index % 2;
        final Relax relax = hinted ? Relax.values()[1 + index % (Relax.values().length - 1)] : Relax.NO_PARAMETERS;
        final int prompt =
            this == EMPTY_PROMPTS ? 0 : this == LARGEST_FIGURES ? Integer.MAX_VALUE - index % 2 : PROMPT + index % 7;
        final boolean one = this == ONE_CONVERSATION;
        final int request = writer.add(one ? 1 : index, one ? Long.MAX_VALUE : PlacementBatch.NO_CONVERSATION, prompt, hint,
            relax);
        writer.maxNewTokens(request, newTokens());
        if (this == LARGEST_FIGURES)
        {
            writer.matchedTokens(request, index % ranks, Integer.MAX_VALUE);
        }
    }
}
