// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.InvariantViolation;
import io.signalbox.event.codec.WeightsWay;
import io.signalbox.saved.SavedFields;

import java.util.Arrays;
import java.util.List;

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
    /** Announced weights that wait for the end of the requests that have begun, and their names. */
    private int awaited;
    private String[] awaitedVersions = new String[2];

    WeightChange(final DpRank[] ranks, final RequestEnding ends, final OutputEncoder out)
    {
        this.ranks = ranks;
        this.ends = ends;
        this.out = out;
    }

    /** New weights come once every request that has begun has ended; until then no other request begins. */
    void await(final String version)
    {
        if (awaited == awaitedVersions.length)
        {
            awaitedVersions = Arrays.copyOf(awaitedVersions, 2 * awaited);
        }
        awaitedVersions[awaited++] = version;
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

    /** The names of such weights, in the order in which they come. */
    List<String> awaitedVersions()
    {
        return List.of(Arrays.copyOf(awaitedVersions, awaited));
    }

    /** The awaited weights that were announced first come. */
    void applyAwaited(final WeightsWay way, final int cacheGeneration)
    {
        final String version = awaitedVersions[0];
        System.arraycopy(awaitedVersions, 1, awaitedVersions, 0, --awaited);
        awaitedVersions[awaited] = null;
        apply(way, version, cacheGeneration);
    }

    /**
     * New weights come.
     *
     * @param way             what becomes of the requests that have begun.
     * @param version         name of the weights.
     * @param cacheGeneration of everything that the new weights compute.
     */
    void apply(final WeightsWay way, final String version, final int cacheGeneration)
    {
        out.newWeights(++generation, way, version);
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

    void save(final SavedFields fields)
    {
        generation = fields.int32(generation);
        awaited = fields.count(awaited);
        awaitedVersions = awaited > awaitedVersions.length ? Arrays.copyOf(awaitedVersions, awaited) : awaitedVersions;
        for (int i = 0; i < awaited; i++)
        {
            awaitedVersions[i] = fields.text(awaitedVersions[i]);
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
