// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import io.signalbox.saved.SavedFields;

import java.util.Arrays;

/** The free blocks of a pool: a stack whose top is handed out first, with a digest of its order. */
final class FreeBlocks
{
    private static final int INSERTION_LIMIT = 48;
    private static final int RADIX_BITS = 8;

    private final int[] stack;
    private int size;
    private long digest;
    private int[] sortBuffer = new int[0];
    private final int[] sortCounts = new int[(1 << RADIX_BITS) + 1];

    FreeBlocks(final int capacity)
    {
        stack = new int[capacity];
        reset();
    }

    /** Every block is free, the last one on top. */
    void reset()
    {
        size = 0;
        digest = 0;
        for (int block = 0; block < stack.length; block++)
        {
            push(block);
        }
    }

    int size()
    {
        return size;
    }

    /** A block by its height above the bottom. */
    int get(final int index)
    {
        return stack[index];
    }

    void push(final int block)
    {
        digest += term(size, block);
        stack[size++] = block;
    }

    /** Takes the top {@code count} blocks, the lowest of them first. */
    void take(final int count, final int[] destination, final int offset)
    {
        final int first = size - count;
        for (int i = 0; i < count; i++)
        {
            final int block = stack[first + i];
            digest -= term(first + i, block);
            destination[offset + i] = block;
        }
        size = first;
    }

    void save(final SavedFields fields)
    {
        final int count = fields.int32(size, 0, stack.length);
        if (fields.isReading())
        {
            size = 0;
            digest = 0;
        }
        for (int height = 0; height < count; height++)
        {
            final int block = fields.int32(stack[height], 0, stack.length - 1);
            if (fields.isReading())
            {
                push(block);
            }
        }
    }

    long digest()
    {
        return digest;
    }

    /** The same as {@link #digest()}, computed from all free blocks. */
    long recomputeDigest()
    {
        long sum = 0;
        for (int i = 0; i < size; i++)
        {
            sum += term(i, stack[i]);
        }
        return sum;
    }

    private static long term(final int place, final int block)
    {
        return BlockRecords.weight(~place) * (block + 1L);
    }

    /** Sorts ascending. Without garbage, which the sort of the platform makes for long arrays. */
    void sort(final int[] blocks, final int count)
    {
        int sorted = 1;
        while (sorted < count && blocks[sorted - 1] <= blocks[sorted])
        {
            sorted++;
        }
        if (sorted < count && count <= INSERTION_LIMIT)
        {
            insertionSort(blocks, sorted, count);
        }
        else if (sorted < count)
        {
            radixSort(blocks, count);
        }
    }

    private static void insertionSort(final int[] blocks, final int sorted, final int count)
    {
        for (int i = sorted; i < count; i++)
        {
            final int block = blocks[i];
            int place = i;
            while (place > 0 && blocks[place - 1] > block)
            {
                blocks[place] = blocks[place - 1];
                place--;
            }
            blocks[place] = block;
        }
    }

    /** Byte by byte, from the lowest: as many passes as the largest id has bytes, at most three. */
    private void radixSort(final int[] blocks, final int count)
    {
        if (sortBuffer.length < count)
        {
            sortBuffer = new int[Math.max(count, 2 * sortBuffer.length)];
        }
        int[] source = blocks;
        int[] target = sortBuffer;
        for (int shift = 0; shift < Integer.SIZE && (stack.length - 1) >>> shift != 0; shift += RADIX_BITS)
        {
            scatter(source, target, count, shift);
            final int[] swapped = source;
            source = target;
            target = swapped;
        }
        if (source != blocks)
        {
            System.arraycopy(source, 0, blocks, 0, count);
        }
    }

    private void scatter(final int[] source, final int[] target, final int count, final int shift)
    {
        final int mask = (1 << RADIX_BITS) - 1;
        Arrays.fill(sortCounts, 0);
        for (int i = 0; i < count; i++)
        {
            sortCounts[(source[i] >>> shift & mask) + 1]++;
        }
        for (int digit = 0; digit < mask; digit++)
        {
            sortCounts[digit + 1] += sortCounts[digit];
        }
        for (int i = 0; i < count; i++)
        {
            target[sortCounts[source[i] >>> shift & mask]++] = source[i];
        }
    }
}
