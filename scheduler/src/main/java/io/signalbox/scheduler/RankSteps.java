// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.StateDigest;

/**
 * When the ranks begin their steps: together or independently. A plan point visits the ranks in their order until the
 * group has grown to its bound; the next plan point then begins with the first rank that was left out, so that none is
 * left out indefinitely. If no group grows to the bound, every plan point begins with rank 0.
 */
abstract class RankSteps
{
    final DpRank[] ranks;
    private final int maxGroupBytes;
    private int first;

    /** @param maxGroupBytes a group that has grown to this gets no further plan. */
    RankSteps(final DpRank[] ranks, final int maxGroupBytes)
    {
        this.ranks = ranks;
        this.maxGroupBytes = maxGroupBytes;
    }

    /** Whether a rank has no room for a step that all others wait for. */
    abstract boolean isUnderWay();

    /** Plans the next steps; no step that the others wait for may be under way. */
    abstract void plan(OutputEncoder out, int epoch);

    /** Digest of the ranks and of the one that is first, chained to another. */
    final long digest(final long before)
    {
        long digest = before;
        for (final DpRank rank : ranks)
        {
            digest = rank.digest(StateDigest.mix(digest, rank.planner.digest(), rank.isLost() ? 1 : 0));
        }
        return first == 0 ? digest : StateDigest.mix(digest, first);
    }

    /** @param rank the first that had to be left out, or 0 if none was. */
    final void first(final int rank)
    {
        first = rank;
    }

    /** The ranks in the order of this plan point. */
    final int inTurn(final int turn)
    {
        return (first + turn) % ranks.length;
    }

    final boolean hasRoom(final OutputEncoder out)
    {
        return out.groupLength() < maxGroupBytes;
    }

    final boolean anyRankHasSlot()
    {
        for (final DpRank rank : ranks)
        {
            if (rank.hasSlot() && !rank.isResting())
            {
                return true;
            }
        }
        return false;
    }

    /** Whether a rank could begin a step, and something has changed since it was last tried. */
    final boolean anyRankWantsPlan()
    {
        for (final DpRank rank : ranks)
        {
            if (rank.wantsPlan())
            {
                return true;
            }
        }
        return false;
    }
}
