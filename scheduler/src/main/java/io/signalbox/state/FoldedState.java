// SPDX-License-Identifier: Apache-2.0
package io.signalbox.state;

import io.signalbox.StateDigest;
import org.agrona.collections.Long2ObjectHashMap;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The state of a run between two groups, as far as its events tell it: requests with their stages, places and block tables;
 * the KV blocks of each rank; steps in flight; generations and counts. It has neither tokens nor rows, nor what a policy
 * keeps for itself.
 */
public final class FoldedState
{
    final StateShape shape;
    final Long2ObjectHashMap<RequestState> requests = new Long2ObjectHashMap<>(1024, 0.55f);
    final RequestLine queue = new RequestLine();
    final RankState[] ranks;
    long timeNanos;
    long inputs;
    long accepted;
    long refused;
    long ended;
    long generatedTokens;
    int weightGeneration;
    int cacheGeneration;
    boolean draining;

    public FoldedState(final StateShape shape)
    {
        this.shape = shape;
        ranks = new RankState[shape.ranks()];
        for (int rank = 0; rank < ranks.length; rank++)
        {
            ranks[rank] = new RankState(rank, shape);
        }
    }

    public StateShape shape()
    {
        return shape;
    }

    /** The latest logical time of a group so far. */
    public long timeNanos()
    {
        return timeNanos;
    }

    /** Groups so far. */
    public long inputs()
    {
        return inputs;
    }

    public long accepted()
    {
        return accepted;
    }

    public long refused()
    {
        return refused;
    }

    public long ended()
    {
        return ended;
    }

    public long generatedTokens()
    {
        return generatedTokens;
    }

    /** 0: the weights with which the run began. */
    public int weightGeneration()
    {
        return weightGeneration;
    }

    /** Counts what made cached prefixes useless. */
    public int cacheGeneration()
    {
        return cacheGeneration;
    }

    public boolean isDraining()
    {
        return draining;
    }

    /**
     * Accepted requests that wait for a rank: by priority, and of one priority in the order in which they leave if
     * {@link StateShape#inOrder()}, else in the order of their arrival.
     */
    public RequestLine queue()
    {
        return queue;
    }

    public RankState rank(final int rank)
    {
        return ranks[rank];
    }

    /** Requests that have not ended, or whose rows wait for their clients, by ascending id. */
    public List<RequestState> requests()
    {
        final List<RequestState> sorted = new ArrayList<>(requests.values());
        sorted.sort(Comparator.comparingLong(RequestState::id));
        return sorted;
    }

    public int requestCount()
    {
        return requests.size();
    }

    /** {@code null} if there is none. */
    public RequestState request(final long id)
    {
        return requests.get(id);
    }

    /** The same number as the scheduler's digest of the prefix indexes of all ranks. */
    public long prefixIndexDigest()
    {
        long digest = 0;
        for (final RankState rank : ranks)
        {
            digest += StateDigest.mix(rank.rank, rank.blocks.prefixIndexDigest());
        }
        return digest;
    }
}
