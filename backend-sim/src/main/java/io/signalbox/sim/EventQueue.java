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
    /** Phase and identity, in this order. */
    private long[] kinds;
    private long[] sequences;
    private int size;

    EventQueue(final int initialCapacity)
    {
        times = new long[initialCapacity];
        kinds = new long[initialCapacity];
        sequences = new long[initialCapacity];
    }

    private static long kind(final int phase, final int identity)
    {
        return (long)phase << Integer.SIZE | identity;
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
        return (int)(kinds[0] >> Integer.SIZE);
    }

    int nextIdentity()
    {
        return (int)kinds[0];
    }

    long nextSequence()
    {
        return sequences[0];
    }

    /** @param identity not negative. */
    void add(final long timeNanos, final int phase, final int identity, final long sequence)
    {
        if (size == times.length)
        {
            grow();
        }
        final long kind = kind(phase, identity);
        int hole = size++;
        while (hole > 0)
        {
            final int parent = (hole - 1) >>> 1;
            if (!isBefore(timeNanos, kind, sequence, parent))
            {
                break;
            }
            put(hole, times[parent], kinds[parent], sequences[parent]);
            hole = parent;
        }
        put(hole, timeNanos, kind, sequence);
    }

    /** Takes the first event away; there must be one. */
    void removeNext()
    {
        final int last = --size;
        siftDown(times[last], kinds[last], sequences[last]);
    }

    /** Takes the first event away and adds another one. */
    void replaceNext(final long timeNanos, final int phase, final int identity, final long sequence)
    {
        siftDown(timeNanos, kind(phase, identity), sequence);
    }

    private void siftDown(final long timeNanos, final long kind, final long sequence)
    {
        int hole = 0;
        while (true)
        {
            int child = 2 * hole + 1;
            if (child >= size)
            {
                break;
            }
            if (child + 1 < size && isBefore(times[child + 1], kinds[child + 1], sequences[child + 1], child))
            {
                child++;
            }
            if (isBefore(timeNanos, kind, sequence, child))
            {
                break;
            }
            put(hole, times[child], kinds[child], sequences[child]);
            hole = child;
        }
        put(hole, timeNanos, kind, sequence);
    }

    private boolean isBefore(final long timeNanos, final long kind, final long sequence, final int other)
    {
        if (timeNanos != times[other])
        {
            return timeNanos < times[other];
        }
        return kind != kinds[other] ? kind < kinds[other] : sequence < sequences[other];
    }

    private void put(final int index, final long timeNanos, final long kind, final long sequence)
    {
        times[index] = timeNanos;
        kinds[index] = kind;
        sequences[index] = sequence;
    }

    private void grow()
    {
        final int capacity = Math.max(16, times.length * 2);
        times = Arrays.copyOf(times, capacity);
        kinds = Arrays.copyOf(kinds, capacity);
        sequences = Arrays.copyOf(sequences, capacity);
    }
}
