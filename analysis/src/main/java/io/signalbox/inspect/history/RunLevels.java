// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect.history;

import io.signalbox.state.FoldedState;
import io.signalbox.state.RankState;
import io.signalbox.state.RequestLine;

/** Integrates waiting, running and paused requests, and the KV blocks of each rank, over the time of a run. */
final class RunLevels
{
    private final FoldedState state;
    private final long[] waiting;
    private final long[] running;
    private final long[] paused;
    private final long[] blocks;
    private final long[] blocksSinceNanos;
    private final boolean[] touched;
    private final int[] touchedRanks;
    private int touchedCount;
    private long waitingOnRanks;
    private long runningNow;
    private long pausedNow;
    private long waitingNow;
    private TimeBins bins;
    private long fromNanos;
    private long toNanos;
    private long sinceNanos;
    /** Without a pause no request is looked at. */
    private boolean hasPauses = true;
    private long queuedNanos;
    private long mostWaiting;
    private long mostWaitingNanos;

    RunLevels(final FoldedState state)
    {
        this.state = state;
        final int ranks = state.shape().ranks();
        waiting = new long[ranks];
        running = new long[ranks];
        paused = new long[ranks];
        blocks = new long[ranks];
        blocksSinceNanos = new long[ranks];
        touched = new boolean[ranks];
        touchedRanks = new int[ranks];
    }

    /** Begins at a time; later times than {@code endNanos} are not counted. */
    void begin(final TimeBins sums, final long beginNanos, final long endNanos)
    {
        bins = sums;
        fromNanos = beginNanos;
        toNanos = endNanos;
        sinceNanos = beginNanos;
        mostWaitingNanos = beginNanos;
        touch(-1);
        update(beginNanos);
        hasPauses = pausedNow > 0;
    }

    /** The current group changes this rank; -1: every rank. */
    void touch(final int rank)
    {
        if (rank >= touched.length)
        {
            return;
        }
        for (int i = Math.max(0, rank); i < (rank < 0 ? touched.length : rank + 1); i++)
        {
            if (!touched[i])
            {
                touched[i] = true;
                touchedRanks[touchedCount++] = i;
            }
        }
    }

    /** The current group pauses a request of this rank. */
    void pause(final int rank)
    {
        touch(rank);
        hasPauses = true;
    }

    /** Adds up to a time what the levels were, then reads those that the group changed. */
    void update(final long nowNanos)
    {
        final long now = Math.max(fromNanos, Math.min(nowNanos, toNanos));
        bins.addLevel(RunHistory.WAITING, sinceNanos, now, waitingNow);
        bins.addLevel(RunHistory.RUNNING, sinceNanos, now, runningNow);
        bins.addLevel(RunHistory.PAUSED, sinceNanos, now, pausedNow);
        queuedNanos += waitingNow > 0 ? now - sinceNanos : 0;
        sinceNanos = now;
        for (int i = 0; i < touchedCount; i++)
        {
            final int rank = touchedRanks[i];
            touched[rank] = false;
            bins.addLevel(RunHistory.blocks(rank), blocksSinceNanos[rank], now, blocks[rank]);
            blocksSinceNanos[rank] = now;
            read(rank, state.rank(rank));
        }
        touchedCount = 0;
        waitingNow = waitingOnRanks + state.queue().size();
        if (waitingNow > mostWaiting && nowNanos >= fromNanos && nowNanos < toNanos)
        {
            mostWaiting = waitingNow;
            mostWaitingNanos = nowNanos;
        }
    }

    private void read(final int rank, final RankState was)
    {
        waitingOnRanks += was.waiting().size() - waiting[rank];
        waiting[rank] = was.waiting().size();
        runningNow += was.running().size() - running[rank];
        running[rank] = was.running().size();
        final long pausedHere = hasPauses ? pausedIn(was.running()) : 0;
        pausedNow += pausedHere - paused[rank];
        paused[rank] = pausedHere;
        blocks[rank] = was.blocks().owned();
    }

    private static long pausedIn(final RequestLine line)
    {
        long count = 0;
        for (int i = 0; i < line.size(); i++)
        {
            count += line.get(i).isPaused() ? 1 : 0;
        }
        return count;
    }

    void finish(final long nanos)
    {
        touch(-1);
        update(nanos);
    }

    /** Whether a request waited before the current group. */
    boolean isQueued()
    {
        return waitingNow > 0;
    }

    long queuedNanos()
    {
        return queuedNanos;
    }

    long mostWaiting()
    {
        return mostWaiting;
    }

    long mostWaitingNanos()
    {
        return mostWaitingNanos;
    }
}
