// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.StateDigest;
import io.signalbox.saved.SavedFields;

/**
 * Decides when the ranks begin their steps: together or independently. A plan point visits the ranks in order until the
 * group reaches its bound. The next plan point begins with the first rank that was not visited, so every rank is visited
 * eventually. As long as no group reaches the bound, every plan point begins with rank 0.
 */
abstract class RankSteps
{
    final DpRank[] ranks;
    private final int maxGroupBytes;
    private int first;

    /** @param maxGroupBytes a group of this size gets no further plan. */
    RankSteps(final DpRank[] ranks, final int maxGroupBytes)
    {
        this.ranks = ranks;
        this.maxGroupBytes = maxGroupBytes;
    }

    /** Whether a rank has no room for a step that all others wait for. */
    abstract boolean isUnderWay();

    /** Plans the next steps. Must not be called while {@link #isUnderWay()}. */
    abstract void plan(OutputEncoder out);

    /** Digest of the ranks and of the first one to visit, chained to another digest. */
    final long digest(final long before)
    {
        long digest = before;
        for (final DpRank rank : ranks)
        {
            digest = rank.digest(StateDigest.mix(digest, rank.planner.digest(), rank.isLost() ? 1 : 0));
        }
        return first == 0 ? digest : StateDigest.mix(digest, first);
    }

    /** @param rank the first rank that was not visited, or 0 if all were. */
    void save(final SavedFields fields)
    {
        first = fields.int32(first, 0, ranks.length - 1);
    }

    final void first(final int rank)
    {
        first = rank;
    }

    /** The {@code index}th rank in the order of this plan point. */
    final int inTurn(final int turn)
    {
        final int rank = first + turn;
        return rank < ranks.length ? rank : rank - ranks.length;
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
