// SPDX-License-Identifier: Apache-2.0
package io.signalbox.stats;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * How the figures changed since the last question, or since the beginning: everything in it adds up, so the figures are the
 * sum of their intervals. Of one thread at a time, without garbage.
 */
final class Interval
{
    private final long[] counts = new long[Count.values().length];
    private final long[][] ofRanks;
    final LatencyFigure timeToFirstToken = new LatencyFigure();
    final LatencyFigure interTokenLatency = new LatencyFigure();
    final LatencyFigure endToEnd = new LatencyFigure();
    final LatencyFigure queueTime = new LatencyFigure();
    final LatencyFigure perOutputToken = new LatencyFigure();
    final LatencyFigure inference = new LatencyFigure();
    final LatencyFigure prefill = new LatencyFigure();
    final LatencyFigure decode = new LatencyFigure();
    private final List<LatencyFigure> latencies = List.of(timeToFirstToken, interTokenLatency, endToEnd, queueTime,
        perOutputToken, inference, prefill, decode);
    final TokenFigure promptTokens = TokenFigure.ofRequests();
    final TokenFigure generatedTokens = TokenFigure.ofRequests();
    final TokenFigure tokenLimits = TokenFigure.ofRequests();
    final TokenFigure stepTokens = TokenFigure.ofSteps();
    private final List<TokenFigure> tokens = List.of(promptTokens, generatedTokens, tokenLimits, stepTokens);

    /** Figures of the whole engine. */
    enum Count
    {
        LIVE, RUNNING, PAUSED, ACCEPTED, REFUSED, COMPLETED, STOPPED, CANCELLED, MISSED_DEADLINES,
        ABORTED_BY_NEW_WEIGHTS, FAILED, PREEMPTIONS, RESTARTS,
        STEPS_IN_FLIGHT, COMMITTED, WITHDRAWN, COMPUTED_TOKENS, GENERATED_TOKENS, TOKENS_IN_FLIGHT,
        QUERIED_TOKENS, HIT_TOKENS, CAPTURED, INHERITED, MISSING, REJECTED, BY_ROUTER, BY_FALLBACK, GATE_CLOSED, ON_HINT,
        BY_CONVERSATION
    }

    /** Figures of each rank. */
    enum RankCount
    {
        RUNNING, USED_BLOCKS, LOST, RESETS
    }

    Interval(final int ranks)
    {
        ofRanks = new long[RankCount.values().length][ranks];
    }

    long of(final Count count)
    {
        return counts[count.ordinal()];
    }

    void add(final Count count, final long by)
    {
        counts[count.ordinal()] += by;
    }

    void add(final RankCount count, final int rank, final long by)
    {
        ofRanks[count.ordinal()][rank] += by;
    }

    void reset()
    {
        Arrays.fill(counts, 0);
        for (final long[] perRank : ofRanks)
        {
            Arrays.fill(perRank, 0);
        }
        latencies.forEach(LatencyFigure::reset);
        tokens.forEach(TokenFigure::reset);
    }

    void add(final Interval later)
    {
        Arrays.setAll(counts, i -> counts[i] + later.counts[i]);
        for (int i = 0; i < ofRanks.length; i++)
        {
            final long[] changes = later.ofRanks[i];
            final long[] sums = ofRanks[i];
            Arrays.setAll(sums, rank -> sums[rank] + changes[rank]);
        }
        for (int i = 0; i < latencies.size(); i++)
        {
            latencies.get(i).add(later.latencies.get(i));
        }
        for (int i = 0; i < tokens.size(); i++)
        {
            tokens.get(i).add(later.tokens.get(i));
        }
    }

    EngineStats.RequestTimes times()
    {
        return new EngineStats.RequestTimes(
            perOutputToken.latency(), inference.latency(), prefill.latency(), decode.latency());
    }

    EngineStats.RequestTokens tokens()
    {
        return new EngineStats.RequestTokens(promptTokens.histogram(), generatedTokens.histogram(), tokenLimits.histogram(),
            stepTokens.histogram());
    }

    List<EngineStats.Rank> ranks(final int poolBlocks)
    {
        return IntStream.range(0, ofRanks[0].length).mapToObj(rank -> new EngineStats.Rank(
            of(RankCount.RUNNING, rank), (double)of(RankCount.USED_BLOCKS, rank) / poolBlocks,
            of(RankCount.LOST, rank) > 0, of(RankCount.RESETS, rank))).toList();
    }

    private long of(final RankCount count, final int rank)
    {
        return ofRanks[count.ordinal()][rank];
    }
}
