// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

/** Each rank begins its steps independently, as soon as it has room for one and something to compute. */
final class OwnStep extends RankSteps
{
    OwnStep(final DpRank[] ranks, final int maxGroupBytes)
    {
        super(ranks, maxGroupBytes);
    }

    @Override
    boolean isUnderWay()
    {
        return false;
    }

    /** Plans the ranks until the group is full; the other ranks are planned at the next plan point. */
    @Override
    void plan(final OutputEncoder out)
    {
        for (int turn = 0; turn < ranks.length; turn++)
        {
            final int index = inTurn(turn);
            final DpRank rank = ranks[index];
            if (!rank.mayPlan())
            {
                continue;
            }
            if (!hasRoom(out))
            {
                first(index);
                return;
            }
            if (rank.plan())
            {
                rank.launch();
                out.schedule(rank.open.newest(), rank.epoch(), index);
            }
        }
        first(0);
    }
}
