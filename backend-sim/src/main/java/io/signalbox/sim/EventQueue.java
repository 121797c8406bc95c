// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import java.util.Arrays;

/**
 * A binary heap of things that will happen, ordered by time, then phase, then identity, then sequence. The order is
 * total as long as no two entries agree in all four, so that the order of insertion never decides. Entries live in
 * parallel arrays: nothing is allocated once the queue has reached its largest size.
 */
final class EventQueue
{
    /** The time of the first event of an empty queue. */
    static final long NEVER = Long.MAX_VALUE;

    private long[] times;
    private int[] phases;
    private int[] identities;
    private long[] sequences;
    private int size;

    EventQueue(final int initialCapacity)
    {
        times = new long[initialCapacity];
        phases = new int[initialCapacity];
        identities = new int[initialCapacity];
        sequences = new long[initialCapacity];
    }

    int size()
    {
        return size;
    }

    /** Time of the first event, or {@link #NEVER}. */
    long nextNanos()
    {
        return size == 0 ? NEVER : times[0];
    }

    int nextPhase()
    {
        return phases[0];
    }

    int nextIdentity()
    {
        return identities[0];
    }

    long nextSequence()
    {
        return sequences[0];
    }

    void add(final long timeNanos, final int phase, final int identity, final long sequence)
    {
        if (size == times.length)
        {
            grow();
        }
        int hole = size++;
        while (hole > 0)
        {
            final int parent = (hole - 1) >>> 1;
            if (!isBefore(timeNanos, phase, identity, sequence, parent))
            {
                break;
            }
            move(parent, hole);
            hole = parent;
        }
        put(hole, timeNanos, phase, identity, sequence);
    }

    /** Takes the first event away; there must be one. */
    void removeNext()
    {
        final int last = --size;
        siftDown(times[last], phases[last], identities[last], sequences[last]);
    }

    /** Takes the first event away and adds another one. */
    void replaceNext(final long timeNanos, final int phase, final int identity, final long sequence)
    {
        siftDown(timeNanos, phase, identity, sequence);
    }

    private void siftDown(final long timeNanos, final int phase, final int identity, final long sequence)
    {
        int hole = 0;
        while (true)
        {
            int child = 2 * hole + 1;
            if (child >= size)
            {
                break;
            }
            if (child + 1 < size && isBefore(child + 1, child))
            {
                child++;
            }
            if (isBefore(timeNanos, phase, identity, sequence, child))
            {
                break;
            }
            move(child, hole);
            hole = child;
        }
        put(hole, timeNanos, phase, identity, sequence);
    }

    private boolean isBefore(final int first, final int second)
    {
        return isBefore(times[first], phases[first], identities[first], sequences[first], second);
    }

    private boolean isBefore(
        final long timeNanos, final int phase, final int identity, final long sequence, final int other)
    {
        if (timeNanos != times[other])
        {
            return timeNanos < times[other];
        }
        if (phase != phases[other])
        {
            return phase < phases[other];
        }
        if (identity != identities[other])
        {
            return identity < identities[other];
        }
        return sequence < sequences[other];
    }

    private void move(final int from, final int to)
    {
        put(to, times[from], phases[from], identities[from], sequences[from]);
    }

    private void put(final int index, final long timeNanos, final int phase, final int identity, final long sequence)
    {
        times[index] = timeNanos;
        phases[index] = phase;
        identities[index] = identity;
        sequences[index] = sequence;
    }

    private void grow()
    {
        final int capacity = Math.max(16, times.length * 2);
        times = Arrays.copyOf(times, capacity);
        phases = Arrays.copyOf(phases, capacity);
        identities = Arrays.copyOf(identities, capacity);
        sequences = Arrays.copyOf(sequences, capacity);
    }
}
