// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

import io.signalbox.InvariantViolation;

import java.util.Arrays;

/**
 * The work of a {@link PagedRank} on a load, counted from the rows of its steps. A row that starts beyond what its
 * request had reached was spared the tokens between. A token at a place that its request had reached before, computed
 * then or spared, counts as computed again, which is allowed only after the request lost its blocks.
 */
final class PagingLedger
{
    private final PagingLoad load;
    /** Per request, the tokens computed or spared since it last had no blocks; and the most it ever had. */
    private final int[] reached;
    private final int[] mostReached;
    private final int[] stepsInSystem;
    private int step;
    private int steps;
    private int ended;
    private long computed;
    private long computedAgain;
    private long spared;
    private int lostBlocks;
    private double poolUse;

    PagingLedger(final PagingLoad load)
    {
        this.load = load;
        reached = new int[load.requests()];
        mostReached = new int[load.requests()];
        stepsInSystem = new int[load.requests()];
    }

    void beginStep(final int number)
    {
        step = number;
    }

    void computed(final int request, final int start, final int count)
    {
        if (start < reached[request])
        {
            throw new InvariantViolation("step " + step + " computes request " + request + " from token " + start +
                ", which has reached " + reached[request] + " and lost no blocks");
        }
        final int most = mostReached[request];
        spared += start - reached[request];
        computed += count;
        computedAgain += Math.max(0, Math.min(start + count, most) - start);
        reached[request] = start + count;
        mostReached[request] = Math.max(most, start + count);
    }

    /** The request was preempted or evicted. */
    void lostBlocks(final int request)
    {
        lostBlocks++;
        reached[request] = 0;
    }

    /** Blocks that have an owner while a step with at least one token runs. */
    void poolUse(final int ownedBlocks, final int usableBlocks)
    {
        steps++;
        poolUse += (double)ownedBlocks / usableBlocks;
    }

    void ended(final int request, final int tokens)
    {
        final int expected = load.prompt(request).length + load.newTokens(request);
        // The last token that was generated is never fed.
        if (tokens != expected || reached[request] != expected - 1 || stepsInSystem[request] != 0)
        {
            throw new InvariantViolation("request " + request + " ended in step " + step + " with " + tokens +
                " tokens, of which " + reached[request] + " were fed; it asked for " + expected + " and to end once");
        }
        stepsInSystem[request] = step - load.arrivalStep(request) + 1;
        ended++;
    }

    boolean allEnded()
    {
        return ended == load.requests();
    }

    /** One row of the table; a stall is named at its end. */
    Object[] row(final String profile)
    {
        final long waited = Arrays.stream(stepsInSystem).asLongStream().sum();
        return new Object[]
        {
            profile, step + 1, computed, computedAgain, spared, lostBlocks, load.requests() - ended,
            (double)waited / Math.max(1, ended), Arrays.stream(stepsInSystem).max().orElse(0),
            100 * poolUse / Math.max(1, steps), allEnded() ? "" : "  stalled"
        };
    }
}
