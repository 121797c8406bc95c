// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.StateDigest;
import io.signalbox.saved.SavedFields;

import java.util.Arrays;

/**
 * Which weights computed which tokens of one request for the first time: spans of positions, each with the generation of
 * its weights. They belong to the routed-expert row of a position and to the token that was sampled behind it.
 */
public final class WeightSpans
{
    /** Of a request of which nothing is computed. */
    static final int NONE = -1;

    private int[] starts = new int[2];
    private int[] generations = new int[2];
    private int count;
    /** Generation and start of the last span, beside the count: each step asks for them. */
    private int lastGeneration;
    private int lastStart;

    void clear()
    {
        count = 0;
    }

    /**
     * Positions {@code [start, end)} are computed with weights of a generation.
     *
     * @param start positions that were computed before; an end up to it changes nothing.
     */
    void extend(final int start, final int end, final int generation)
    {
        if (end <= start || count > 0 && lastGeneration == generation)
        {
            return;
        }
        if (count == starts.length)
        {
            starts = Arrays.copyOf(starts, 2 * count);
            generations = Arrays.copyOf(generations, 2 * count);
        }
        starts[count] = start;
        generations[count++] = generation;
        lastStart = start;
        lastGeneration = generation;
    }

    /** Drops what was computed at and above a position. */
    void cut(final int end)
    {
        while (count > 0 && starts[count - 1] >= end)
        {
            count--;
        }
        noteLast();
    }

    private void noteLast()
    {
        lastStart = count == 0 ? 0 : starts[count - 1];
        lastGeneration = count == 0 ? 0 : generations[count - 1];
    }

    /**
     * Positions below it were computed first with weights of another generation.
     *
     * @param computed positions that have been computed.
     */
    int floor(final int generation, final int computed)
    {
        return count == 0 ? 0 : lastGeneration == generation ? lastStart : computed;
    }

    /** Whether positions {@code [first, end)} were computed with weights of several generations; none is above the last. */
    boolean isMixed(final int first, final int end)
    {
        return count > 1 && lastStart > first && lastStart < end;
    }

    /** The generation of the last span, or {@link #NONE}. */
    int last()
    {
        return count == 0 ? NONE : lastGeneration;
    }

    /** Spans, the lowest positions first; 0 if nothing was computed. */
    public int count()
    {
        return count;
    }

    /** First position of a span, which ends where the next one begins. */
    public int start(final int span)
    {
        return starts[span];
    }

    /** The weights of a span; 0: those with which the run began. */
    public int generation(final int span)
    {
        return generations[span];
    }

    void save(final SavedFields fields)
    {
        count = fields.count(count);
        starts = fields.int32s(starts, count);
        generations = fields.int32s(generations, count);
        noteLast();
    }

    /** Extends a digest; rows of the weights with which a run began leave it as it is. */
    public long digest(final long before)
    {
        long digest = before;
        for (int i = 0; i < count; i++)
        {
            digest = generations[i] == 0 ? digest : StateDigest.mix(digest, starts[i], generations[i]);
        }
        return digest;
    }
}
