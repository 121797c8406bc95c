// SPDX-License-Identifier: Apache-2.0
package io.signalbox.report;

import io.signalbox.report.RunReport.RankOccupancy;
import io.signalbox.report.RunReport.RankPrefixCache;

import java.util.Arrays;
import java.util.BitSet;

/** Prefix hits and block occupancy of one rank. */
final class RankRecord
{
    private final int rank;
    final DeviceTimes device = new DeviceTimes();
    private RequestRecord[] lastEntries = new RequestRecord[64];
    private int[] holders = new int[1024];
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
    private final BitSet generated = new BitSet();
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

    /** The request of this entry in the last step, or {@code null}. Batches change little, so it is likely the same. */
    RequestRecord lastEntry(final int entry)
    {
        return entry < lastEntries.length ? lastEntries[entry] : null;
    }

    void lastEntry(final int entry, final RequestRecord request)
    {
        if (entry >= lastEntries.length)
        {
            lastEntries = Arrays.copyOf(lastEntries, 2 * entry);
        }
        lastEntries[entry] = request;
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

    void onFirstAdmission(final RequestRecord request, final int requestMatchedBlocks, final int blockSizeTokens)
    {
        request.matchedBlocks = requestMatchedBlocks;
        request.generatedBlocks = 0;
        request.pendingBlocks = 0;
        count(request, blockSizeTokens, 1);
    }

    /** The step of the first admission was withdrawn: nothing was matched, and the request is admitted again. */
    void onFirstAdmissionWithdrawn(final RequestRecord request, final int blockSizeTokens)
    {
        count(request, blockSizeTokens, -1);
        generatedBlocks -= request.generatedBlocks;
        pendingBlocks -= request.pendingBlocks;
    }

    private void count(final RequestRecord request, final int blockSizeTokens, final int sign)
    {
        admittedRequests += sign;
        matchedBlocks += sign * request.matchedBlocks;
        matchedTokens += sign * (long)request.matchedBlocks * blockSizeTokens;
        promptTokens += sign * request.promptTokens;
        promptBlocks += sign * (request.promptTokens / blockSizeTokens);
    }

    /** Decoding filled the block, and requests can match it. */
    void onGenerated(final int blockId)
    {
        generated.set(blockId);
    }

    void onAllocated(final int blockId)
    {
        generated.clear(blockId);
    }

    /** The first admission of the request matched the block. */
    void onMatched(final RequestRecord request, final int blockId, final boolean isPending)
    {
        final int isGenerated = generated.get(blockId) ? 1 : 0;
        request.generatedBlocks += isGenerated;
        generatedBlocks += isGenerated;
        request.pendingBlocks += isPending ? 1 : 0;
        pendingBlocks += isPending ? 1 : 0;
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

    void hold(final int blockId, final long nowNanos)
    {
        if (blockId >= holders.length)
        {
            holders = Arrays.copyOf(holders, Math.max(blockId + 1, 2 * holders.length));
        }
        if (holders[blockId]++ == 0)
        {
            advance(nowNanos);
            usedBlocks++;
            peakBlocks = Math.max(peakBlocks, usedBlocks);
        }
    }

    /** Gives back every block that the request holds. */
    void release(final RequestRecord request, final long nowNanos)
    {
        for (int i = 0; i < request.blocks.size(); i++)
        {
            if (--holders[request.blocks.getInt(i)] == 0)
            {
                advance(nowNanos);
                usedBlocks--;
            }
        }
        request.blocks.clear();
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
