// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

/**
 * The cached KV blocks that may be evicted next, least recently used first, the lower block id first among equals: a
 * heap of eight children per node, which lie side by side, so that the largest pool is eight steps deep. It knows where
 * each block stands, so that a block which is used again can leave.
 */
final class EvictionHeap
{
    private static final int CHILDREN_LOG2 = 3;
    private static final int CHILDREN = 1 << CHILDREN_LOG2;

    private final BlockRecords records;
    /** Timestamp and block id in one word each, so that comparing two blocks reads nothing else. */
    private final long[] ages;
    private int size;

    EvictionHeap(final BlockRecords records)
    {
        this.records = records;
        ages = new long[records.count()];
    }

    boolean isEmpty()
    {
        return size == 0;
    }

    boolean contains(final int block)
    {
        return records.heapPlace(block) >= 0;
    }

    void add(final int block)
    {
        siftUp(size++, records.age(block));
    }

    int poll()
    {
        final int first = (int)ages[0] & BlockRecords.BLOCK_MASK;
        remove(first);
        return first;
    }

    void remove(final int block)
    {
        final int place = records.heapPlace(block);
        records.heapPlace(block, BlockRecords.NOT_CACHED);
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

    /** Empties the heap; the places in the records are the caller's to reset. */
    void clear()
    {
        size = 0;
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
        records.heapPlace((int)age & BlockRecords.BLOCK_MASK, place);
    }

    private static int parent(final int place)
    {
        return (place - 1) >>> CHILDREN_LOG2;
    }
}
