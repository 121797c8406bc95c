// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import java.util.Arrays;

/**
 * The KV blocks that may be evicted next, least recently used first, the lower block id first among equals: a binary
 * heap that knows where each block stands, so that a block which is used again leaves in O(log n).
 */
final class EvictionHeap
{
    private static final int ABSENT = -1;

    private final long[] timestamps;
    private final int[] heap;
    private final int[] positions;
    private int size;

    /** @param timestamps last use per block; must not change while the block is in the heap. */
    EvictionHeap(final long[] timestamps)
    {
        this.timestamps = timestamps;
        heap = new int[timestamps.length];
        positions = new int[timestamps.length];
        Arrays.fill(positions, ABSENT);
    }

    boolean isEmpty()
    {
        return size == 0;
    }

    boolean contains(final int blockId)
    {
        return positions[blockId] != ABSENT;
    }

    void add(final int blockId)
    {
        siftUp(size++, blockId);
    }

    int poll()
    {
        final int first = heap[0];
        remove(first);
        return first;
    }

    void remove(final int blockId)
    {
        final int position = positions[blockId];
        positions[blockId] = ABSENT;
        final int last = heap[--size];
        if (last == blockId)
        {
            return;
        }
        if (position > 0 && isBefore(last, heap[(position - 1) >>> 1]))
        {
            siftUp(position, last);
        }
        else
        {
            siftDown(position, last);
        }
    }

    void clear()
    {
        Arrays.fill(positions, ABSENT);
        size = 0;
    }

    private void siftUp(final int from, final int blockId)
    {
        int position = from;
        while (position > 0)
        {
            final int parent = (position - 1) >>> 1;
            if (!isBefore(blockId, heap[parent]))
            {
                break;
            }
            set(position, heap[parent]);
            position = parent;
        }
        set(position, blockId);
    }

    private void siftDown(final int from, final int blockId)
    {
        int position = from;
        final int firstLeaf = size >>> 1;
        while (position < firstLeaf)
        {
            int child = 2 * position + 1;
            if (child + 1 < size && isBefore(heap[child + 1], heap[child]))
            {
                child++;
            }
            if (!isBefore(heap[child], blockId))
            {
                break;
            }
            set(position, heap[child]);
            position = child;
        }
        set(position, blockId);
    }

    private void set(final int position, final int blockId)
    {
        heap[position] = blockId;
        positions[blockId] = position;
    }

    private boolean isBefore(final int blockId, final int other)
    {
        final long timestamp = timestamps[blockId];
        final long otherTimestamp = timestamps[other];
        return timestamp < otherTimestamp || (timestamp == otherTimestamp && blockId < other);
    }
}
