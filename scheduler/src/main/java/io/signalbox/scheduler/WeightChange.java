// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.InvariantViolation;
import io.signalbox.event.codec.WeightsWay;

/**
 * Replaces the weights of the model between two steps. Every later {@code Schedule} names the new generation, steps in
 * flight keep theirs, and nothing that former weights computed is shared with later requests.
 */
final class WeightChange
{
    private final DpRank[] ranks;
    private final RequestEnding ends;
    private final OutputEncoder out;
    private int generation;

    WeightChange(final DpRank[] ranks, final RequestEnding ends, final OutputEncoder out)
    {
        this.ranks = ranks;
        this.ends = ends;
        this.out = out;
    }

    /**
     * @param way             what becomes of the requests that have begun.
     * @param cacheGeneration of everything that the new weights compute.
     */
    void apply(final WeightsWay way, final int cacheGeneration)
    {
        out.newWeights(++generation, way);
        for (final DpRank rank : ranks)
        {
            rank.blocks.newWeights(generation, cacheGeneration);
        }
        switch (way)
        {
            case FINISH ->
            {
            }
            case ABORT -> ends.endBegun();
            case REQUEUE -> requeue();
            default -> throw new InvariantViolation("new weights come with the way " + way);
        }
    }

    /** The generation, in all bits but the lowest. */
    long digest()
    {
        return (long)generation << 1;
    }

    private void requeue()
    {
        for (final DpRank rank : ranks)
        {
            rank.planner.requeueAll();
            rank.due();
        }
    }
}
