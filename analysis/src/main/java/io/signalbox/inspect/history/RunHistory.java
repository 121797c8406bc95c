// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect.history;

import java.util.List;

/**
 * What happened in a run, or in a part of its time. Times are logical nanoseconds; a reader counts them from the origin.
 *
 * @param originNanos    begin of the run or of the part.
 * @param endNanos       time of the last event in it.
 * @param ranks          number of ranks.
 * @param blocksPerRank  KV blocks of a rank that requests can hold.
 * @param blockSizeTokens tokens of a block.
 * @param requests       requests that were submitted in it, by their time, then by id.
 * @param bins           sums over time; the constants name the rows.
 * @param happenings     what happened to ranks and weights, in order.
 * @param requeues       requests that started over, in order.
 * @param mostWaiting    most requests that waited at one time.
 * @param mostWaitingNanos the first time at which they did.
 * @param totals         counts of the whole time.
 */
public record RunHistory(
    long originNanos, long endNanos, int ranks, int blocksPerRank, int blockSizeTokens, List<PastRequest> requests,
    TimeBins bins, List<Happening> happenings, List<Requeue> requeues, long mostWaiting, long mostWaitingNanos,
    RunTotals totals)
{
    /** Waiting requests times nanoseconds. */
    public static final int WAITING = 0;
    /** Running requests, paused ones among them, times nanoseconds. */
    public static final int RUNNING = 1;
    /** Paused requests times nanoseconds. */
    public static final int PAUSED = 2;
    /** Tokens that became visible. */
    public static final int EMITTED = 3;
    /** Requests that were preempted. */
    public static final int PREEMPTED = 4;
    private static final int RUN_ROWS = 5;
    private static final int RANK_ROWS = 3;

    /** Nanoseconds for which the device of a rank computed. */
    public static int computed(final int rank)
    {
        return RUN_ROWS + RANK_ROWS * rank;
    }

    /** Tokens in the steps of a rank. */
    public static int tokens(final int rank)
    {
        return RUN_ROWS + RANK_ROWS * rank + 1;
    }

    /** KV blocks of a rank that requests held, times nanoseconds. */
    public static int blocks(final int rank)
    {
        return RUN_ROWS + RANK_ROWS * rank + 2;
    }

    static int rows(final int ranks)
    {
        return RUN_ROWS + RANK_ROWS * ranks;
    }

    public long lengthNanos()
    {
        return Math.max(1, endNanos - originNanos);
    }
}
