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
    /** Announced weights that wait for the end of the requests that have begun. */
    private int awaited;

    WeightChange(final DpRank[] ranks, final RequestEnding ends, final OutputEncoder out)
    {
        this.ranks = ranks;
        this.ends = ends;
        this.out = out;
    }

    /** New weights come once every request that has begun has ended; until then no other request begins. */
    void await()
    {
        awaited++;
        for (final DpRank rank : ranks)
        {
            rank.planner.admitBegunOnly(true);
        }
    }

    /** Whether new weights are announced that wait for the end of the requests that have begun. */
    boolean isAwaited()
    {
        return awaited > 0;
    }

    /**
     * The new weights that were announced first come.
     *
     * @param way             what becomes of the requests that have begun.
     * @param cacheGeneration of everything that the new weights compute.
     */
    void apply(final WeightsWay way, final int cacheGeneration)
    {
        out.newWeights(++generation, way);
        awaited = Math.max(0, awaited - 1);
        for (final DpRank rank : ranks)
        {
            rank.blocks.newWeights(generation, cacheGeneration);
            rank.planner.admitBegunOnly(awaited > 0);
        }
        switch (way)
        {
            case CONTINUE ->
            {
            }
            case ABORT -> ends.endBegun();
            case REQUEUE -> requeue();
            case DRAIN -> begin();
            default -> throw new InvariantViolation("new weights come with the way " + way);
        }
    }

    /** Requests that have waited for the new weights begin. */
    private void begin()
    {
        for (final DpRank rank : ranks)
        {
            rank.due();
        }
    }

    /** Digest of the generation and of the announced weights, in all bits but the lowest. */
    long digest()
    {
        return (long)generation << 1 ^ (long)awaited << Integer.SIZE;
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
