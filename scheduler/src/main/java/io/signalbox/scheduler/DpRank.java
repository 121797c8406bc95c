// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.StateDigest;
import io.signalbox.batch.BatchPlanner;
import io.signalbox.batch.StepPlan;
import io.signalbox.experts.RoutedExpertPages;

/** One DP rank as the scheduler sees it: its planner and the step that is in flight. */
final class DpRank
{
    final BatchPlanner planner;
    final StepPlan plan = new StepPlan();
    private long steps;
    private boolean inFlight;
    private boolean lost;

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
        return !inFlight && !lost;
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
