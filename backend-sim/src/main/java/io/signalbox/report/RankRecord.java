// SPDX-License-Identifier: Apache-2.0
package io.signalbox.report;

import io.signalbox.report.RunReport.RankOccupancy;
import io.signalbox.report.RunReport.RankPrefixCache;
import io.signalbox.state.RunRequest;

/** Prefix hits and block occupancy of one rank. */
final class RankRecord
{
    private final int rank;
    final DeviceTimes device = new DeviceTimes();
    private int usedBlocks;
    private int peakBlocks;
    private double blockNanos;
    private long changedNanos;
    private long stepTokens;
    private long admittedRequests;
    private long matchedTokens;
    private long promptTokens;
    private long matchedBlocks;
    private long promptBlocks;
    private long generatedBlocks;
    private long pendingBlocks;

    RankRecord(final int rank)
    {
        this.rank = rank;
    }

    int number()
    {
        return rank;
    }

    void onStep(final long tokens)
    {
        stepTokens += tokens;
    }

    /** Tokens that the rank computed. */
    long stepTokens()
    {
        return stepTokens;
    }

    /** @param sign 1 for the first admission of a request; -1 if its step was withdrawn, so that nothing was matched. */
    void admitted(final RunRequest request, final int blockSizeTokens, final int sign)
    {
        admittedRequests += sign;
        matchedBlocks += sign * request.matchedBlocks();
        matchedTokens += sign * (long)request.matchedBlocks() * blockSizeTokens;
        promptTokens += sign * request.promptTokens();
        promptBlocks += sign * (request.promptTokens() / blockSizeTokens);
        generatedBlocks += sign * request.generatedMatches();
        pendingBlocks += sign * request.pendingMatches();
    }

    /** Matched blocks that decoding had filled. */
    long generatedBlocks()
    {
        return generatedBlocks;
    }

    /** Matched blocks that a step in flight computed. */
    long pendingBlocks()
    {
        return pendingBlocks;
    }

    void onBlocksInUse(final int blocks, final long nowNanos)
    {
        advance(nowNanos);
        usedBlocks = blocks;
        peakBlocks = Math.max(peakBlocks, blocks);
    }

    private void advance(final long nowNanos)
    {
        blockNanos += (double)usedBlocks * (nowNanos - changedNanos);
        changedNanos = nowNanos;
    }

    long matchedTokens()
    {
        return matchedTokens;
    }

    long promptTokens()
    {
        return promptTokens;
    }

    long matchedBlocks()
    {
        return matchedBlocks;
    }

    long promptBlocks()
    {
        return promptBlocks;
    }

    RankPrefixCache prefixCache()
    {
        return new RankPrefixCache(
            rank, rate(matchedTokens, promptTokens), rate(matchedBlocks, promptBlocks), admittedRequests, promptTokens,
            promptBlocks);
    }

    /** @param elapsedNanos from the beginning of the run, or of what is known of it. */
    RankOccupancy occupancy(final int poolBlocks, final long nowNanos, final long elapsedNanos)
    {
        advance(nowNanos);
        final double mean = elapsedNanos == 0 ? Double.NaN : blockNanos / elapsedNanos / poolBlocks;
        return new RankOccupancy(rank, mean, (double)peakBlocks / poolBlocks);
    }

    static double rate(final long part, final long whole)
    {
        return whole == 0 ? Double.NaN : (double)part / whole;
    }
}
