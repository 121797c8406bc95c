// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import java.util.Arrays;

/**
 * Things that will happen, ordered by time, then phase, then identity, then sequence. The order is total as long as no two
 * entries agree in all four, so that the order of insertion never decides. Entries live in parallel arrays: nothing is
 * allocated once the queue has reached its largest size.
 *
 * <p>Few entries, as those of some ranks are, have no order, and the first one is searched when it has changed: a loop
 * without surprises for the processor, where each level of a heap is one. Many entries are a binary heap.
 */
final class EventQueue
{
    private static final int FEW = 32;

    /** The time of the first event of an empty queue. */
    static final long NEVER = Long.MAX_VALUE;

    private long[] times;
    /** Phase and identity, in this order. */
    private long[] kinds;
    private long[] sequences;
    private int size;
    /** Index of the first entry, unless it is to be searched. */
    private int first;
    private boolean isHeap;

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
        return size == 0 ? NEVER : times[first];
    }

    int nextPhase()
    {
        return (int)(kinds[first] >> Integer.SIZE);
    }

    int nextIdentity()
    {
        return (int)kinds[first];
    }

    long nextSequence()
    {
        return sequences[first];
    }

    /** @param identity not negative. */
    void add(final long timeNanos, final int phase, final int identity, final long sequence)
    {
        if (size == times.length)
        {
            grow();
        }
        final long kind = kind(phase, identity);
        if (isHeap)
        {
            siftUp(timeNanos, kind, sequence);
            return;
        }
        put(size, timeNanos, kind, sequence);
        first = size > 0 && isBefore(timeNanos, kind, sequence, first) ? size : first;
        if (++size > FEW)
        {
            makeHeap();
        }
    }

    private void makeHeap()
    {
        isHeap = true;
        first = 0;
        final int entries = size;
        for (size = 0; size < entries;)
        {
            siftUp(times[size], kinds[size], sequences[size]);
        }
    }

    private void siftUp(final long timeNanos, final long kind, final long sequence)
    {
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
        if (isHeap)
        {
            siftDown(times[last], kinds[last], sequences[last]);
            // A heap is entries in some order, of which the first one is known.
            isHeap = size > FEW / 2;
            return;
        }
        put(first, times[last], kinds[last], sequences[last]);
        searchFirst();
    }

    /** Takes the first event away and adds another one. */
    void replaceNext(final long timeNanos, final int phase, final int identity, final long sequence)
    {
        if (isHeap)
        {
            siftDown(timeNanos, kind(phase, identity), sequence);
            return;
        }
        put(first, timeNanos, kind(phase, identity), sequence);
        searchFirst();
    }

    /** Without a branch that depends on the times, unless two are equal; times are not negative. */
    private void searchFirst()
    {
        int at = 0;
        long least = times[0];
        for (int i = 1; i < size; i++)
        {
            final long later = times[i] - least;
            if (later == 0)
            {
                at = isBefore(least, kinds[i], sequences[i], at) ? i : at;
            }
            else
            {
                final long isEarlier = later >> Long.SIZE - 1;
                least += later & isEarlier;
                at += i - at & (int)isEarlier;
            }
        }
        first = at;
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
