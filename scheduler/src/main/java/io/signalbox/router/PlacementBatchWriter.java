// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import io.signalbox.event.codec.PlacedDecoder;

import java.util.function.IntConsumer;

/**
 * Writes the requests and ranks of one {@link PlacementBatch}, which routers only read: the scheduler, and tests of routers,
 * fill batches through it. Call {@link #clear}, then {@link #rank} for every rank, then {@link #add} for each request.
 */
public final class PlacementBatchWriter
{
    private final PlacementBatch batch;

    /** @param maxActive largest number of requests of a rank. */
    public PlacementBatchWriter(final int ranks, final int maxActive)
    {
        batch = new PlacementBatch(ranks, maxActive);
    }

    /** The batch to give to a router; the same object at every call. */
    public PlacementBatch batch()
    {
        return batch;
    }

    /**
     * Sets the source of matches, or null if matches are written with the requests or are not read. A router that first
     * reads a match of a request calls it, so that a request that waits behind another is not probed at every plan point.
     *
     * @param probe writes the matches of the request with this index into this batch.
     */
    public void probeBy(final IntConsumer probe)
    {
        batch.probeBy(probe);
    }

    /**
     * Sets the limits of long prompts, which apply to all later batches. No prompt is long before they are set.
     *
     * @param mostTokens   most prompt tokens of one request in a step; 0: no limit.
     * @param mostRequests most long requests in a step.
     */
    public void longPrefills(final int mostTokens, final int mostRequests)
    {
        batch.longPrefills(mostTokens, mostRequests);
    }

    /** Removes requests and decisions; the ranks keep their state. */
    public void clear()
    {
        batch.clear();
    }

    /** Sets the state of a rank; its figures and load are 0 until they are set. */
    public void rank(final int rank, final int active, final boolean isLost)
    {
        batch.rank(rank, active, isLost);
    }

    public void figure(final int rank, final RankFigure figure, final long value)
    {
        batch.figure(rank, figure, value);
    }

    /**
     * Adds a request without matches and without a head.
     *
     * @param conversationId id of the conversation that the request is a turn of, or {@link PlacementBatch#NO_CONVERSATION}.
     * @param rankHint       ignored if there is no such rank.
     * @return the request's index.
     */
    public int add(
        final long requestId,
        final long conversationId,
        final int promptTokens,
        final int rankHint,
        final Relax relax)
    {
        return batch.add(requestId, conversationId, promptTokens, rankHint, relax);
    }

    /** Sets the most tokens that the request generates; 0 until it is set. */
    public void maxNewTokens(final int request, final int tokens)
    {
        batch.maxNewTokens(request, tokens);
    }

    /**
     * Sets the first tokens of the prompt, which routers compare to group prompts with a common beginning.
     *
     * @param length at most {@link PlacementBatch#HEAD_TOKENS}.
     */
    public void head(final int request, final int[] tokens, final int length)
    {
        batch.head(request, tokens, length);
    }

    public void matchedTokens(final int request, final int rank, final int tokens)
    {
        batch.matchedTokens(request, rank, tokens);
    }

    /**
     * Repeats a recorded decision. Ids, limits and matches are those of the batch; the terms are the recorded ones.
     *
     * @throws RouterException if the batch does not allow the decision.
     */
    public void repeat(final int request, final PlacedDecoder decision)
    {
        batch.target(decision.target());
        batch.gate(request, MatchGate.valueOf(decision.gate().name()));
        batch.normaliser(request, decision.normaliser());
        for (final PlacedDecoder.CandidatesDecoder candidate : decision.candidates())
        {
            if (candidate.rank() < 0 || candidate.rank() >= batch.ranks())
            {
                throw new RouterException("recorded rank " + candidate.rank() + " of " + batch.ranks());
            }
            batch.recorded(request, candidate.rank(), candidate);
        }
        batch.choose(request, decision.rank(), 0, TieRule.valueOf(decision.tieRule().name()));
    }
}
