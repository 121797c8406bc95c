// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

/**
 * All ranks step together, as attention-DP ranks of one MoE model do: each layer has collectives over all ranks. Every
 * rank that is not lost therefore takes part in every step, with an empty plan if it has nothing to compute.
 */
final class LockStep extends RankSteps
{
    private long steps;

    LockStep(final DpRank[] ranks, final int maxGroupBytes)
    {
        super(ranks, maxGroupBytes);
    }

    /** Whether a rank is still in the last step; lost ranks do not count. */
    @Override
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
     * Plans the next step of every rank that is not lost, unless none has work. If the group has no room for a rank's
     * work, the rank gets an empty plan.
     */
    @Override
    void plan(final OutputEncoder out, final int epoch)
    {
        if (!anyIdleRankHasWork())
        {
            return;
        }
        steps++;
        int leftOut = -1;
        for (int turn = 0; turn < ranks.length; turn++)
        {
            final int index = inTurn(turn);
            final DpRank rank = ranks[index];
            if (rank.isLost())
            {
                continue;
            }
            final boolean hasWork = rank.planner.hasWork() && !rank.isResting();
            if (hasWork && hasRoom(out))
            {
                rank.planner.plan(rank.plan);
            }
            else
            {
                leftOut = leftOut < 0 && hasWork ? index : leftOut;
                rank.plan.clear();
            }
            rank.launch(steps);
            out.schedule(rank.plan, epoch, index);
        }
        first(Math.max(0, leftOut));
    }
}
