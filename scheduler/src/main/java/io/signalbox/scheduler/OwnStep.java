// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

/** Each rank begins its steps independently, as soon as it has room for one and something to compute. */
final class OwnStep extends RankSteps
{
    /** At least those that have room for a step. */
    private final ReadyRanks withSlot;

    OwnStep(final DpRank[] ranks, final int maxGroupBytes)
    {
        super(ranks, maxGroupBytes);
        withSlot = new ReadyRanks(ranks.length);
        for (final DpRank rank : ranks)
        {
            rank.keepIn(withSlot);
        }
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
        final int begin = inTurn(0);
        if (plan(begin, ranks.length, out) && plan(0, begin, out))
        {
            first(0);
        }
    }

    /** Plans the ranks from one up to another; returns false if the group was full before. */
    private boolean plan(final int from, final int end, final OutputEncoder out)
    {
        for (int index = withSlot.next(from); index < end; index = withSlot.next(index + 1))
        {
            final DpRank rank = ranks[index];
            if (!rank.mayPlan())
            {
                continue;
            }
            if (!hasRoom(out))
            {
                first(index);
                return false;
            }
            if (rank.plan())
            {
                rank.launch();
                out.schedule(rank.open.newest(), rank.epoch(), index);
            }
        }
        return true;
    }
}
