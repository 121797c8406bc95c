// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.saved.SavedFields;

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

    /** Whether a rank has no room for the next step yet; a lost rank is not waited for. */
    @Override
    boolean isUnderWay()
    {
        for (final DpRank rank : ranks)
        {
            if (!rank.isLost() && !rank.hasSlot())
            {
                return true;
            }
        }
        return false;
    }

    /**
     * Plans the next step of every rank that is not lost, unless none has anything to compute. Ranks for whose work the
     * group has no room get an empty plan.
     */
    @Override
    void plan(final OutputEncoder out)
    {
        final long step = steps + 1;
        int leftOut = -1;
        for (int turn = 0; turn < ranks.length; turn++)
        {
            final DpRank rank = ranks[inTurn(turn)];
            if (rank.isLost())
            {
                continue;
            }
            final boolean hasWork = rank.mayPlan();
            final boolean hasRoom = hasRoom(out);
            if (!hasWork || !hasRoom || !rank.plan(step))
            {
                leftOut = leftOut < 0 && hasWork && !hasRoom ? inTurn(turn) : leftOut;
                rank.planNothing(step);
            }
            else if (steps < step)
            {
                // The first rank with something to compute decides that the step takes place.
                steps = step;
                launchIdle(out, turn);
            }
            if (steps == step)
            {
                launch(out, turn);
            }
        }
        first(Math.max(0, leftOut));
    }

    @Override
    void save(final SavedFields fields)
    {
        super.save(fields);
        steps = fields.number(steps);
    }

    private void launchIdle(final OutputEncoder out, final int turns)
    {
        for (int turn = 0; turn < turns; turn++)
        {
            if (!ranks[inTurn(turn)].isLost())
            {
                launch(out, turn);
            }
        }
    }

    private void launch(final OutputEncoder out, final int turn)
    {
        final int index = inTurn(turn);
        ranks[index].launch();
        out.schedule(ranks[index].open.newest(), ranks[index].epoch(), index);
    }
}
