// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.InvariantViolation;
import io.signalbox.StateDigest;
import io.signalbox.batch.BatchPlanner;
import io.signalbox.batch.RankBlocks;
import io.signalbox.batch.RankLoad;
import io.signalbox.batch.StepPlan;
import io.signalbox.experts.RoutedExpertPages;

/** State of one DP rank in the scheduler: its blocks, its load, its planner and the step in flight. */
final class DpRank
{
    private static final int MAX_DOUBLINGS = 6;

    /** State of a rank. */
    enum State
    {
        /** No step is in flight. */
        IDLE,
        IN_FLIGHT,
        /** Takes part in no step before its backend is reset. */
        LOST;

        private boolean leadsTo(final State next)
        {
            return switch (this)
            {
                case IDLE -> next != IDLE;
                case IN_FLIGHT, LOST -> next == IDLE;
            };
        }
    }

    final RankBlocks blocks;
    final RankLoad load = new RankLoad();
    final BatchPlanner planner;
    final StepPlan plan = new StepPlan();
    private final int rank;
    private State state = State.IDLE;
    private long steps;
    private int failedSteps;
    private boolean resting;
    private long restsUntilNanos;

    DpRank(final SchedulerConfig config, final int rank, final RoutedExpertPages pages)
    {
        this.rank = rank;
        blocks = new RankBlocks(
            rank,
            config.kvBlocks(),
            config.blockSizeTokens(),
            config.evictionPolicy(),
            config.prefixCaching(),
            pages);
        planner = new BatchPlanner(blocks, load, config.maxRunning(), config.stepTokens());
    }

    State state()
    {
        return state;
    }

    /** The only method that changes the state. */
    void state(final State next)
    {
        if (!state.leadsTo(next))
        {
            throw new InvariantViolation("rank " + rank + " cannot go from " + state + " to " + next);
        }
        state = next;
    }

    void launch()
    {
        launch(++steps);
    }

    /** @param step number of a step that all ranks take together. */
    void launch(final long step)
    {
        plan.number(step);
        state(State.IN_FLIGHT);
    }

    /** Records that the step in flight has ended. */
    void land()
    {
        state(State.IDLE);
    }

    void lose()
    {
        state(State.LOST);
    }

    /** Records that the rank's backend was reset; the step in flight, if any, is dropped. */
    void reset()
    {
        if (state != State.IDLE)
        {
            state(State.IDLE);
        }
    }

    boolean isInFlight(final long step)
    {
        return isInFlight() && plan.step() == step;
    }

    /** Whether a step could begin now. */
    boolean isIdle()
    {
        return state == State.IDLE && !resting;
    }

    /**
     * Records that a step of the rank failed. After the first of several consecutive failures the rank retries at once.
     * After each later one it rests; the rest doubles each time, at most {@link #MAX_DOUBLINGS} times.
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

    /** Records that a step of the rank succeeded, or that its backend was reset. */
    void recovered()
    {
        failedSteps = 0;
        resting = false;
    }

    boolean isResting()
    {
        return resting;
    }

    /** Whether the rank rests after failed steps. */
    long restsUntilNanos()
    {
        return restsUntilNanos;
    }

    void rest(final long nowNanos)
    {
        resting &= nowNanos < restsUntilNanos;
    }

    /** Digest of the record of failed steps, chained to another digest. */
    long digest(final long before)
    {
        return failedSteps == 0 ? before : StateDigest.mix(before, failedSteps, resting ? restsUntilNanos : 0);
    }

    boolean isInFlight()
    {
        return state == State.IN_FLIGHT;
    }

    boolean isLost()
    {
        return state == State.LOST;
    }

    /** Digest of the pools of all ranks. */
    static long poolDigest(final DpRank[] ranks)
    {
        long digest = 0;
        for (int rank = 0; rank < ranks.length; rank++)
        {
            digest += StateDigest.mix(rank, ranks[rank].blocks.allocator().poolDigest());
        }
        return digest;
    }

    /** Digest of the cached blocks of all ranks. */
    static long prefixIndexDigest(final DpRank[] ranks)
    {
        long digest = 0;
        for (int rank = 0; rank < ranks.length; rank++)
        {
            digest += StateDigest.mix(rank, ranks[rank].blocks.allocator().prefixIndexDigest());
        }
        return digest;
    }
}
