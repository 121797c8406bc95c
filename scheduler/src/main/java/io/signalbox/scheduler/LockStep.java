// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

/**
 * Steps that all ranks take together, as attention-DP ranks of one MoE model do: they meet in collectives within each
 * layer, so that every rank that is not lost takes part in every step, with an empty plan where it has nothing to compute.
 */
final class LockStep
{
    private final DpRank[] ranks;
    private long steps;

    LockStep(final DpRank[] ranks)
    {
        this.ranks = ranks;
    }

    /** Whether a rank has not yet ended the last step; a lost rank is not waited for. */
    boolean isUnderWay()
    {
        for (final DpRank rank : ranks)
        {
            if (rank.isInFlight())
            {
                return true;
            }
        }
        return false;
    }

    /**
     * Plans the next step of every rank that is not lost, unless none has work; no step may be under way.
     *
     * @param maxGroupBytes a group that has grown to this takes no further work: the ranks behind only step along, once.
     */
    void plan(final OutputEncoder out, final int epoch, final int maxGroupBytes)
    {
        if (!anyRankHasWork())
        {
            return;
        }
        steps++;
        for (int i = 0; i < ranks.length; i++)
        {
            final DpRank rank = ranks[i];
            if (rank.isLost())
            {
                continue;
            }
            if (rank.planner.hasWork() && out.groupLength() < maxGroupBytes)
            {
                rank.planner.plan(rank.plan);
            }
            else
            {
                rank.plan.clear();
            }
            rank.launch(steps);
            out.schedule(rank.plan, epoch, i);
        }
    }

    private boolean anyRankHasWork()
    {
        for (final DpRank rank : ranks)
        {
            if (rank.isIdle() && rank.planner.hasWork())
            {
                return true;
            }
        }
        return false;
    }
}
