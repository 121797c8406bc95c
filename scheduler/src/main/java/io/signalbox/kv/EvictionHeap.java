// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import java.util.Arrays;

/**
 * The cached KV blocks. Those that may be evicted next are in a heap, least recently used first, the lower block id
 * first among equals. A node has eight adjacent children, so that the largest pool is eight steps deep. The heap keeps
 * the place of each block, so that a block which is used again can leave. Cached blocks that others build upon are
 * counted here too, but are not in the heap.
 */
final class EvictionHeap
{
    private static final int CHILDREN_LOG2 = 3;
    private static final int CHILDREN = 1 << CHILDREN_LOG2;

    private static final int NOT_CACHED = -1;
    private static final int INNER = -2;

    private final BlockRecords records;
    /** By block. Not in the records, because a step down the heap moves a random block that nothing else touches. */
    private final int[] places;
    /** Timestamp and block id in one word each, so that comparing two blocks reads nothing else. */
    private final long[] ages;
    private int size;

    EvictionHeap(final BlockRecords records)
    {
        this.records = records;
        ages = new long[records.count()];
        places = new int[records.count()];
        Arrays.fill(places, NOT_CACHED);
    }

    boolean isEmpty()
    {
        return size == 0;
    }

    boolean contains(final int block)
    {
        return places[block] >= 0;
    }

    boolean isCached(final int block)
    {
        return places[block] != NOT_CACHED;
    }

    /** The block is cached, and others build upon it. */
    void addInner(final int block)
    {
        places[block] = INNER;
    }

    void add(final int block)
    {
        siftUp(size++, records.age(block));
    }

    int size()
    {
        return size;
    }

    int first()
    {
        return block(ages[0]);
    }

    /** The block that comes after the first, if nothing changes until then. */
    int second()
    {
        return block(ages[oldest(1, Math.min(1 + CHILDREN, size))]);
    }

    /** The first block is cached no longer, and this one may be evicted now: mostly it is the next, since it is as old. */
    void replaceFirst(final int block)
    {
        places[first()] = NOT_CACHED;
        siftDown(0, records.age(block));
    }

    /** The block, in the heap or an inner one, is cached no longer. */
    void remove(final int block)
    {
        final int place = places[block];
        places[block] = NOT_CACHED;
        if (place >= 0)
        {
            leave(place);
        }
    }

    private void leave(final int place)
    {
        final long last = ages[--size];
        if (place == size)
        {
            return;
        }
        if (place > 0 && last < ages[parent(place)])
        {
            siftUp(place, last);
        }
        else
        {
            siftDown(place, last);
        }
    }

    void clear()
    {
        size = 0;
        Arrays.fill(places, NOT_CACHED);
    }

    private void siftUp(final int from, final long age)
    {
        int place = from;
        while (place > 0 && age < ages[parent(place)])
        {
            set(place, ages[parent(place)]);
            place = parent(place);
        }
        set(place, age);
    }

    private void siftDown(final int from, final long age)
    {
        int place = from;
        while (true)
        {
            final int firstChild = (place << CHILDREN_LOG2) + 1;
            if (firstChild >= size)
            {
                break;
            }
            final int oldest = oldest(firstChild, Math.min(firstChild + CHILDREN, size));
            if (age <= ages[oldest])
            {
                break;
            }
            set(place, ages[oldest]);
            place = oldest;
        }
        set(place, age);
    }

    private int oldest(final int from, final int to)
    {
        int oldest = from;
        for (int place = from + 1; place < to; place++)
        {
            oldest = ages[place] < ages[oldest] ? place : oldest;
        }
        return oldest;
    }

    private void set(final int place, final long age)
    {
        ages[place] = age;
        places[block(age)] = place;
    }

    private static int block(final long age)
    {
        return (int)age & BlockRecords.BLOCK_MASK;
    }

    private static int parent(final int place)
    {
        return (place - 1) >>> CHILDREN_LOG2;
    }
}
