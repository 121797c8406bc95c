// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.batch.Request;
import io.signalbox.batch.RequestQueue;
import io.signalbox.batch.StepPlan;
import io.signalbox.saved.SavedFields;

/**
 * Bounds the retries of failed steps. A rank rests between consecutive failed steps. A request that failed in too many of
 * them alone, without progress, ends.
 */
final class StepFailures
{
    private final DpRank[] ranks;
    private final int maxFailures;
    private final long backOffNanos;
    private final RequestQueue exhausted = new RequestQueue();
    private int resting;

    /** @param maxFailures 0: no bound. */
    StepFailures(final DpRank[] ranks, final int maxFailures, final long backOffNanos)
    {
        this.ranks = ranks;
        this.maxFailures = maxFailures;
        this.backOffNanos = backOffNanos;
    }

    void save(final SavedFields fields)
    {
        resting = fields.int32(resting);
    }

    /** Ends the rest of each rank whose time has come. */
    void advance(final long nowNanos)
    {
        if (resting == 0)
        {
            return;
        }
        resting = 0;
        for (final DpRank rank : ranks)
        {
            rank.rest(nowNanos);
            resting += rank.isResting() ? 1 : 0;
        }
    }

    /** Time at which the first rest ends; {@link Deadlines#NONE} if no rank rests. */
    long nextNanos()
    {
        long next = Deadlines.NONE;
        for (int rank = 0; resting > 0 && rank < ranks.length; rank++)
        {
            next = ranks[rank].isResting() ? Math.min(next, ranks[rank].restsUntilNanos()) : next;
        }
        return next;
    }

    void stepSucceeded(final DpRank rank, final StepPlan plan)
    {
        if (plan.entryCount() > 0 && rank.outlived(plan.step()))
        {
            reset(rank);
        }
    }

    void reset(final DpRank rank)
    {
        resting -= rank.isResting() ? 1 : 0;
        rank.recovered();
    }

    /** Must be called before the steps are withdrawn; the failed one is in flight. */
    void stepFailed(final DpRank rank, final long step, final long nowNanos)
    {
        resting -= rank.isResting() ? 1 : 0;
        if (backOffNanos > 0)
        {
            rank.stepFailed(nowNanos, backOffNanos);
            rank.failedBehind();
        }
        resting += rank.isResting() ? 1 : 0;
        while (!exhausted.isEmpty())
        {
            exhausted.removeLast();
        }
        for (int i = 0; i < rank.open.size(); i++)
        {
            if (rank.open.at(i).step() == step)
            {
                countFailures(rank.open.at(i));
            }
        }
    }

    /** Only of the step that failed: later ones are withdrawn with it, whatever they compute. */
    private void countFailures(final StepPlan plan)
    {
        for (int entry = 0; maxFailures > 0 && entry < plan.entryCount(); entry++)
        {
            if (plan.isOwned(entry))
            {
                final Request request = plan.entryRequest(entry);
                final int tries = request.countFailure(plan.entryCount(), plan.weightGeneration());
                if (tries >= maxFailures && !request.isEnding())
                {
                    exhausted.addLast(request);
                }
            }
        }
    }

    /** Requests of the last failed step that are not retried. */
    int exhaustedCount()
    {
        return exhausted.size();
    }

    Request exhausted(final int index)
    {
        return exhausted.get(index);
    }
}
