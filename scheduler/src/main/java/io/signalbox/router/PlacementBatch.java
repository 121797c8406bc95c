// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import io.signalbox.event.codec.PlacedDecoder;

import java.util.Arrays;
import java.util.function.IntConsumer;

/**
 * The requests to place at one plan point, the current state of the ranks, and the decisions. A {@link DpRouter} reads
 * requests and ranks, and writes decisions; only a {@link PlacementBatchWriter} can change requests and ranks.
 * Preallocated and reused.
 *
 * <p>Every decision keeps the terms of each candidate as they were when it was made, because the loads change from one
 * request of a batch to the next.
 */
public final class PlacementBatch
{
    /** Largest number of requests of a batch; more requests are placed in several batches. */
    public static final int MAX_REQUESTS = 256;
    /** Tokens of a prompt that a router may read. */
    public static final int HEAD_TOKENS = 64;
    public static final int NO_RANK = -1;
    public static final long NO_CONVERSATION = -1;

    private static final RankFigure[] FIGURES = RankFigure.values();

    private final int ranks;
    private final int maxActive;
    private int longPrefillTokens;
    private int maxLongPrefills;

    // Ranks: requests and load tokens change with each placement, the figures do not.
    private final int[] activeRequests;
    private final boolean[] lost;
    private final long[] figures;
    private final long[] loadTokens;

    // Requests.
    private int count;
    private final long[] requestIds = new long[MAX_REQUESTS];
    private final long[] conversationIds = new long[MAX_REQUESTS];
    private final int[] promptTokens = new int[MAX_REQUESTS];
    private final int[] maxNewTokens = new int[MAX_REQUESTS];
    private final int[] rankHints = new int[MAX_REQUESTS];
    private final Relax[] relaxes = new Relax[MAX_REQUESTS];
    private final int[] heads = new int[MAX_REQUESTS * HEAD_TOKENS];
    private final int[] headLengths = new int[MAX_REQUESTS];
    private final int[] matchedTokens;
    private final boolean[] probed = new boolean[MAX_REQUESTS];
    /** Null if matches are given with the requests, or are not read. */
    private IntConsumer prefixProbe;

    // Decisions.
    private int target;
    private int decisions;
    private final int[] decided = new int[MAX_REQUESTS];
    private final int[] chosenRanks = new int[MAX_REQUESTS];
    private final TieRule[] tieRules = new TieRule[MAX_REQUESTS];
    private final MatchGate[] gates = new MatchGate[MAX_REQUESTS];
    private final double[] normalisers = new double[MAX_REQUESTS];
    private final boolean[] eligible;
    private final double[] scores;
    private final double[] newWorks;
    private final double[] loadTerms;
    private final int[] matchesUsed;
    private final long[] candidateLoads;
    private final int[] candidateActive;
    private final int[] evictedTokens;
    private final long[] deferredTokens;

    /** @param maxActive largest number of requests of a rank. */
    PlacementBatch(final int ranks, final int maxActive)
    {
        this.ranks = ranks;
        this.maxActive = maxActive;
        activeRequests = new int[ranks];
        lost = new boolean[ranks];
        figures = new long[ranks * FIGURES.length];
        loadTokens = new long[ranks];
        final int pairs = MAX_REQUESTS * ranks;
        matchedTokens = new int[pairs];
        eligible = new boolean[pairs];
        scores = new double[pairs];
        newWorks = new double[pairs];
        loadTerms = new double[pairs];
        matchesUsed = new int[pairs];
        candidateLoads = new long[pairs];
        candidateActive = new int[pairs];
        evictedTokens = new int[pairs];
        deferredTokens = new long[pairs];
    }

    void longPrefills(final int mostTokens, final int mostRequests)
    {
        longPrefillTokens = mostTokens;
        maxLongPrefills = mostRequests;
    }

    /** @param probe writes the matches of a request. */
    void probeBy(final IntConsumer probe)
    {
        prefixProbe = probe;
    }

    void clear()
    {
        count = 0;
        decisions = 0;
        target = 0;
    }

    void rank(final int rank, final int active, final boolean isLost)
    {
        activeRequests[rank] = active;
        lost[rank] = isLost;
        loadTokens[rank] = 0;
        Arrays.fill(figures, rank * FIGURES.length, (rank + 1) * FIGURES.length, 0);
    }

    void figure(final int rank, final RankFigure figure, final long value)
    {
        figures[rank * FIGURES.length + figure.ordinal()] = value;
    }

    int add(
        final long requestId,
        final long conversationId,
        final int requestPromptTokens,
        final int rankHint,
        final Relax relax)
    {
        final int request = count++;
        requestIds[request] = requestId;
        conversationIds[request] = conversationId;
        promptTokens[request] = requestPromptTokens;
        maxNewTokens[request] = 0;
        rankHints[request] = rankHint >= 0 && rankHint < ranks ? rankHint : NO_RANK;
        relaxes[request] = relax;
        headLengths[request] = 0;
        probed[request] = prefixProbe == null;
        chosenRanks[request] = NO_RANK;
        tieRules[request] = TieRule.NONE;
        gates[request] = MatchGate.NONE;
        normalisers[request] = 0;
        Arrays.fill(matchedTokens, request * ranks, (request + 1) * ranks, 0);
        Arrays.fill(eligible, request * ranks, (request + 1) * ranks, false);
        return request;
    }

    void maxNewTokens(final int request, final int tokens)
    {
        maxNewTokens[request] = tokens;
    }

    void head(final int request, final int[] tokens, final int length)
    {
        System.arraycopy(tokens, 0, heads, request * HEAD_TOKENS, length);
        headLengths[request] = length;
    }

    void matchedTokens(final int request, final int rank, final int tokens)
    {
        matchedTokens[request * ranks + rank] = tokens;
    }

    public int ranks()
    {
        return ranks;
    }

    /** Largest number of requests of a rank. */
    public int maxActive()
    {
        return maxActive;
    }

    /** Most prompt tokens of one request in a step; a request with more uncomputed tokens is long. 0: no limit. */
    public int longPrefillTokens()
    {
        return longPrefillTokens;
    }

    /** Most long requests in a step of a rank. */
    public int maxLongPrefills()
    {
        return maxLongPrefills;
    }

    public int count()
    {
        return count;
    }

    public long requestId(final int request)
    {
        return requestIds[request];
    }

    public long conversationId(final int request)
    {
        return conversationIds[request];
    }

    public int promptTokens(final int request)
    {
        return promptTokens[request];
    }

    /** The most tokens that the request generates; it generates fewer if a stop token ends it. */
    public int maxNewTokens(final int request)
    {
        return maxNewTokens[request];
    }

    /** A rank, or {@link #NO_RANK}. */
    public int rankHint(final int request)
    {
        return rankHints[request];
    }

    public Relax relax(final int request)
    {
        return relaxes[request];
    }

    /**
     * Orders two requests by their heads: the first token that differs decides; if one head begins the other, the shorter
     * comes first. The head of a request without tokens is the two halves of its first block hash, so that prompts with
     * the same first block are still grouped.
     */
    public int compareHeads(final int request, final int other)
    {
        final int at = request * HEAD_TOKENS;
        final int otherAt = other * HEAD_TOKENS;
        return Arrays.compare(heads, at, at + headLengths[request], heads, otherAt, otherAt + headLengths[other]);
    }

    public int matchedTokens(final int request, final int rank)
    {
        if (!probed[request])
        {
            probed[request] = true;
            prefixProbe.accept(request);
        }
        return matchedTokens[request * ranks + rank];
    }

    /** Prompt tokens that the rank would have to compute; never negative, even if the match exceeds the prompt. */
    public long uncachedTokens(final int request, final int rank)
    {
        return Math.max(0, (long)promptTokens[request] - matchedTokens(request, rank));
    }

    public boolean isLost(final int rank)
    {
        return lost[rank];
    }

    /** Requests of the rank, including those that were placed from this batch. */
    public int activeRequests(final int rank)
    {
        return activeRequests[rank];
    }

    public boolean hasRoom(final int rank)
    {
        return !lost[rank] && activeRequests[rank] < maxActive;
    }

    /** A figure of the rank before the batch. */
    public long figure(final int rank, final RankFigure figure)
    {
        return figures[rank * FIGURES.length + figure.ordinal()];
    }

    /** Sets the running load of every rank to one of its figures. */
    public void loadFrom(final RankFigure figure)
    {
        for (int rank = 0; rank < ranks; rank++)
        {
            loadTokens[rank] = figure(rank, figure);
        }
    }

    /** The running load: the figure of {@link #loadFrom}, and the loads that {@link #choose} added. */
    public long loadTokens(final int rank)
    {
        return loadTokens[rank];
    }

    /** Records the number of requests at which a rank gets no further one of this batch. */
    public void target(final int requests)
    {
        target = requests;
    }

    /** 0 if the router has none. */
    public int target()
    {
        return target;
    }

    /** @throws RouterException if there is no such request, or the state is {@code null}. */
    public void gate(final int request, final MatchGate state)
    {
        if (request < 0 || request >= count || state == null)
        {
            throw new RouterException("noted the match gate " + state + " for request " + request + " of " + count);
        }
        gates[request] = state;
    }

    /**
     * Records the divisor of the loads in this request's scores.
     *
     * @throws RouterException if it is infinite or NaN.
     */
    public void normaliser(final int request, final double divisor)
    {
        if (!Double.isFinite(divisor))
        {
            throw new RouterException("recorded " + divisor + " as the divisor of the loads for request " +
                requestIds[request] + ", which is not a finite number");
        }
        normalisers[request] = divisor;
    }

    /**
     * Records a candidate of the decision.
     *
     * @param score     lower is better.
     * @param newWork   tokens that the rank would have to compute, as they enter the score; 0 if they do not.
     * @param loadTerm  the load as it enters the score.
     * @param matchUsed matched tokens as they enter the score.
     * @throws RouterException if score, new work or load term is infinite or NaN.
     */
    public void candidate(
        final int request,
        final int rank,
        final double score,
        final double newWork,
        final double loadTerm,
        final int matchUsed)
    {
        candidate(request, rank, score, newWork, loadTerm, matchUsed, 0, 0);
    }

    /**
     * Records a candidate of the decision.
     *
     * @param score     lower is better.
     * @param newWork   tokens that the rank would have to compute, as the policy counts them.
     * @param loadTerm  the load as it enters the score, with all other terms.
     * @param matchUsed matched tokens as they enter the score.
     * @param evicted   cached tokens of the rank that the request would replace, as the policy counts them.
     * @param deferred  tokens of the running load that do not delay the request, as the policy counts them.
     * @throws RouterException if score, new work or load term is infinite or NaN.
     */
    public void candidate(
        final int request,
        final int rank,
        final double score,
        final double newWork,
        final double loadTerm,
        final int matchUsed,
        final int evicted,
        final long deferred)
    {
        // 0 times infinity or NaN is NaN, so the sum is NaN exactly if a term is not finite.
        if (!(score * 0.0 + newWork * 0.0 + loadTerm * 0.0 == 0.0))
        {
            throw notFinite(request, rank, score, newWork, loadTerm);
        }
        final int at = request * ranks + rank;
        eligible[at] = true;
        scores[at] = score;
        newWorks[at] = newWork;
        loadTerms[at] = loadTerm;
        matchesUsed[at] = matchUsed;
        candidateLoads[at] = loadTokens[rank];
        candidateActive[at] = activeRequests[rank];
        evictedTokens[at] = evicted;
        deferredTokens[at] = deferred;
    }

    /** A candidate whose terms, loads included, were recorded by the decision that is repeated. */
    void recorded(final int request, final int rank, final PlacedDecoder.CandidatesDecoder terms)
    {
        candidate(request, rank, terms.score(), terms.newWork(), terms.loadTerm(), terms.matchUsed(),
            terms.evictedTokens(), terms.deferredTokens());
        candidateLoads[request * ranks + rank] = terms.loadTokens();
        candidateActive[request * ranks + rank] = terms.activeRequests();
    }

    private RouterException notFinite(
        final int request, final int rank, final double score, final double newWork, final double loadTerm)
    {
        final String term = !Double.isFinite(score) ? score + " as the score" :
            !Double.isFinite(newWork) ? newWork + " as the new work" : loadTerm + " as the load term";
        return new RouterException("recorded " + term + " of rank " + rank + " for request " + requestIds[request] +
            ", which is not a finite number; a rank that is not to be chosen is no candidate");
    }

    /**
     * Places the request and adds {@code load} to the running load of the rank.
     *
     * @param tieRule rule that chose the rank among equally good ones.
     * @throws RouterException if there is no such request or rank, the rank is lost, or the request is placed already.
     */
    public void choose(final int request, final int rank, final long load, final TieRule tieRule)
    {
        if (request < 0 || request >= count || rank < 0 || rank >= ranks || lost[rank] ||
            chosenRanks[request] != NO_RANK || tieRule == null)
        {
            throw impossible(request, rank, tieRule);
        }
        decided[decisions++] = request;
        chosenRanks[request] = rank;
        tieRules[request] = tieRule;
        activeRequests[rank]++;
        loadTokens[rank] += load;
    }

    private RouterException impossible(final int request, final int rank, final TieRule tieRule)
    {
        final String fault = request < 0 || request >= count ?
            "the batch has " + count + " requests, from 0" :
            rank < 0 || rank >= ranks ? "the ranks are 0 to " + (ranks - 1) :
            lost[rank] ? "that rank is lost" : tieRule == null ? "its tie rule is null" :
            "that request is on rank " + chosenRanks[request] + " already";
        return new RouterException("chose rank " + rank + " for request " +
            (request < 0 || request >= count ? "at index " + request : requestIds[request]) + ", and " + fault);
    }

    /** Number of requests that were placed. */
    public int decisions()
    {
        return decisions;
    }

    /** The request of a decision, in the order in which they were made. */
    public int decision(final int index)
    {
        return decided[index];
    }

    /** The rank, or {@link #NO_RANK} if the request was not placed. */
    public int chosenRank(final int request)
    {
        return chosenRanks[request];
    }

    public TieRule tieRule(final int request)
    {
        return tieRules[request];
    }

    public MatchGate gate(final int request)
    {
        return gates[request];
    }

    public double normaliser(final int request)
    {
        return normalisers[request];
    }

    public boolean isCandidate(final int request, final int rank)
    {
        return eligible[request * ranks + rank];
    }

    public double score(final int request, final int rank)
    {
        return scores[request * ranks + rank];
    }

    public double newWork(final int request, final int rank)
    {
        return newWorks[request * ranks + rank];
    }

    public double loadTerm(final int request, final int rank)
    {
        return loadTerms[request * ranks + rank];
    }

    public int matchUsed(final int request, final int rank)
    {
        return matchesUsed[request * ranks + rank];
    }

    public long candidateLoad(final int request, final int rank)
    {
        return candidateLoads[request * ranks + rank];
    }

    public int candidateActive(final int request, final int rank)
    {
        return candidateActive[request * ranks + rank];
    }

    /** Cached tokens of the rank that the request would replace; 0 if the policy does not count them. */
    public int evictedTokens(final int request, final int rank)
    {
        return evictedTokens[request * ranks + rank];
    }

    /** Tokens of the running load that do not delay the request; 0 if the policy does not count them. */
    public long deferredTokens(final int request, final int rank)
    {
        return deferredTokens[request * ranks + rank];
    }
}
