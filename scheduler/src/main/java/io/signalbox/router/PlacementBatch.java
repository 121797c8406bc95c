// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import java.util.Arrays;

/**
 * The requests to place at one plan point, the ranks as they stand, and the decisions: what a {@link DpRouter} reads
 * and writes. Preallocated and reused.
 *
 * <p>Every decision keeps the terms of each candidate as they were when it was made, because the loads move from one
 * request of a batch to the next.
 */
public final class PlacementBatch
{
    /** More requests are placed in several batches. */
    public static final int MAX_REQUESTS = 256;
    public static final int NO_RANK = -1;

    private final int ranks;
    private final int maxActive;

    // Ranks: working figures, updated by each placement.
    private final int[] activeRequests;
    private final long[] loadTokens;
    private final boolean[] lost;

    // Requests.
    private int count;
    private final int[] promptTokens = new int[MAX_REQUESTS];
    private final int[] rankHints = new int[MAX_REQUESTS];
    private final boolean[] hintRelaxed = new boolean[MAX_REQUESTS];
    private final int[] matchedTokens;

    // Decisions.
    private final int[] chosenRanks = new int[MAX_REQUESTS];
    private final TieBreak[] tieBreaks = new TieBreak[MAX_REQUESTS];
    private final boolean[] eligible;
    private final double[] scores;
    private final long[] candidateLoads;
    private final int[] candidateActive;

    /** How the best candidate was chosen among equals. */
    public enum TieBreak
    {
        NONE,
        FEWEST_REQUESTS_THEN_LOWEST_RANK,
        LOWEST_RANK,
        HINT
    }

    /** @param maxActive most requests a rank may hold. */
    public PlacementBatch(final int ranks, final int maxActive)
    {
        this.ranks = ranks;
        this.maxActive = maxActive;
        activeRequests = new int[ranks];
        loadTokens = new long[ranks];
        lost = new boolean[ranks];
        matchedTokens = new int[MAX_REQUESTS * ranks];
        eligible = new boolean[MAX_REQUESTS * ranks];
        scores = new double[MAX_REQUESTS * ranks];
        candidateLoads = new long[MAX_REQUESTS * ranks];
        candidateActive = new int[MAX_REQUESTS * ranks];
    }

    public void clear()
    {
        count = 0;
    }

    public void rank(final int rank, final int active, final long load, final boolean isLost)
    {
        activeRequests[rank] = active;
        loadTokens[rank] = load;
        lost[rank] = isLost;
    }

    /** @return the request's index; its matches are 0 until {@link #matchedTokens(int, int, int)} says otherwise. */
    public int add(final int requestPromptTokens, final int rankHint, final boolean relaxed)
    {
        final int request = count++;
        promptTokens[request] = requestPromptTokens;
        rankHints[request] = rankHint;
        hintRelaxed[request] = relaxed;
        chosenRanks[request] = NO_RANK;
        tieBreaks[request] = TieBreak.NONE;
        Arrays.fill(matchedTokens, request * ranks, (request + 1) * ranks, 0);
        Arrays.fill(eligible, request * ranks, (request + 1) * ranks, false);
        return request;
    }

    public void matchedTokens(final int request, final int rank, final int tokens)
    {
        matchedTokens[request * ranks + rank] = tokens;
    }

    public int ranks()
    {
        return ranks;
    }

    public int count()
    {
        return count;
    }

    public int promptTokens(final int request)
    {
        return promptTokens[request];
    }

    public int rankHint(final int request)
    {
        return rankHints[request];
    }

    public boolean hintRelaxed(final int request)
    {
        return hintRelaxed[request];
    }

    public int matchedTokens(final int request, final int rank)
    {
        return matchedTokens[request * ranks + rank];
    }

    public int activeRequests(final int rank)
    {
        return activeRequests[rank];
    }

    public long loadTokens(final int rank)
    {
        return loadTokens[rank];
    }

    public boolean hasRoom(final int rank)
    {
        return !lost[rank] && activeRequests[rank] < maxActive;
    }

    /** Notes a candidate of the decision with its score; lower is better. */
    public void candidate(final int request, final int rank, final double score)
    {
        final int at = request * ranks + rank;
        eligible[at] = true;
        scores[at] = score;
        candidateLoads[at] = loadTokens[rank];
        candidateActive[at] = activeRequests[rank];
    }

    /** Places the request and adds {@code load} to the rank. */
    public void choose(final int request, final int rank, final long load, final TieBreak tieBreak)
    {
        chosenRanks[request] = rank;
        tieBreaks[request] = tieBreak;
        activeRequests[rank]++;
        loadTokens[rank] += load;
    }

    /** The rank, or {@link #NO_RANK} when no rank could take the request now. */
    public int chosenRank(final int request)
    {
        return chosenRanks[request];
    }

    public TieBreak tieBreak(final int request)
    {
        return tieBreaks[request];
    }

    public boolean isCandidate(final int request, final int rank)
    {
        return eligible[request * ranks + rank];
    }

    public double score(final int request, final int rank)
    {
        return scores[request * ranks + rank];
    }

    public long candidateLoad(final int request, final int rank)
    {
        return candidateLoads[request * ranks + rank];
    }

    public int candidateActive(final int request, final int rank)
    {
        return candidateActive[request * ranks + rank];
    }
}
