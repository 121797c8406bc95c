// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.StateDigest;
import io.signalbox.batch.BatchPlanner;
import io.signalbox.batch.StepPlan;
import io.signalbox.experts.RoutedExpertPages;

/** One DP rank as the scheduler sees it: its planner and the step that is in flight. */
final class DpRank
{
    private static final int MAX_DOUBLINGS = 6;

    final BatchPlanner planner;
    final StepPlan plan = new StepPlan();
    private long steps;
    private boolean inFlight;
    private boolean lost;
    private int failedSteps;
    private boolean resting;
    private long restsUntilNanos;

    DpRank(final SchedulerConfig config, final int rank, final RoutedExpertPages pages)
    {
        planner = new BatchPlanner(
            rank,
            config.kvBlocks(),
            config.blockSizeTokens(),
            config.evictionPolicy(),
            config.prefixCaching(),
            config.maxRunning(),
            config.stepTokens(),
            pages);
    }

    void launch()
    {
        launch(++steps);
    }

    /** @param step the number of a step that all ranks take together. */
    void launch(final long step)
    {
        plan.number(step);
        inFlight = true;
    }

    void land()
    {
        inFlight = false;
    }

    boolean isInFlight(final long step)
    {
        return inFlight && plan.step() == step;
    }

    boolean isIdle()
    {
        return !inFlight && !lost && !resting;
    }

    /**
     * A step of the rank has failed. After the first of several in a row the rank tries again at once, after each later
     * one it rests, twice as long as before up to {@link #MAX_DOUBLINGS} times.
     */
    void stepFailed(final long nowNanos, final long backOffNanos)
    {
        failedSteps = Math.min(failedSteps + 1, MAX_DOUBLINGS + 2);
        resting = failedSteps > 1;
        if (resting)
        {
            restsUntilNanos = nowNanos + Math.min(backOffNanos << failedSteps - 2, Long.MAX_VALUE - nowNanos);
        }
    }

    /** A step of the rank has succeeded, or its backend starts anew. */
    void recovered()
    {
        failedSteps = 0;
        resting = false;
    }

    boolean isResting()
    {
        return resting;
    }

    /** While the rank rests. */
    long restsUntilNanos()
    {
        return restsUntilNanos;
    }

    void rest(final long nowNanos)
    {
        resting &= nowNanos < restsUntilNanos;
    }

    /** Digest of what is remembered of failed steps, chained to another. */
    long digest(final long before)
    {
        return failedSteps == 0 ? before : StateDigest.mix(before, failedSteps, resting ? restsUntilNanos : 0);
    }

    boolean isInFlight()
    {
        return inFlight;
    }

    boolean isLost()
    {
        return lost;
    }

    void lost(final boolean value)
    {
        lost = value;
    }

    /** Digest of the pools of all ranks. */
    static long poolDigest(final DpRank[] ranks)
    {
        long digest = 0;
        for (int rank = 0; rank < ranks.length; rank++)
        {
            digest += StateDigest.mix(rank, ranks[rank].planner.allocator().poolDigest());
        }
        return digest;
    }

    /** Digest of what is cached on all ranks. */
    static long prefixIndexDigest(final DpRank[] ranks)
    {
        long digest = 0;
        for (int rank = 0; rank < ranks.length; rank++)
        {
            digest += StateDigest.mix(rank, ranks[rank].planner.allocator().prefixIndexDigest());
        }
        return digest;
    }
}
