// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import java.util.TreeMap;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** Short forms for tests of sequences of calls on few blocks. */
final class Blocks
{
    private Blocks()
    {
    }

    static int[] allocate(final KvBlockAllocator allocator, final int count)
    {
        final int[] blockIds = new int[count];
        assertTrue(allocator.allocate(count, blockIds, 0));
        return blockIds;
    }

    static void release(final KvBlockAllocator allocator, final int... blockIds)
    {
        allocator.release(blockIds, 0, blockIds.length);
    }

    static void retain(final KvBlockAllocator allocator, final int... blockIds)
    {
        allocator.retain(blockIds, 0, blockIds.length);
    }

    static long[] hashes(final long... hashes)
    {
        return hashes;
    }

    /** Uses each block at its time; the clock runs forward to the latest of them. */
    static void use(final KvBlockAllocator allocator, final int[] blockIds, final long... times)
    {
        final TreeMap<Long, int[]> byTime = new TreeMap<>();
        for (int i = 0; i < times.length; i++)
        {
            final int[] former = byTime.getOrDefault(times[i], new int[0]);
            final int[] grown = java.util.Arrays.copyOf(former, former.length + 1);
            grown[former.length] = blockIds[i];
            byTime.put(times[i], grown);
        }
        byTime.forEach((time, blocks) ->
        {
            allocator.clock(time);
            allocator.touch(blocks, 0, blocks.length);
        });
    }

    /** Index in {@code blockIds} of the block found under each hash; -1 if none is found. */
    static int[] places(final KvBlockAllocator allocator, final int[] blockIds, final long... hashes)
    {
        final int[] places = new int[hashes.length];
        for (int i = 0; i < hashes.length; i++)
        {
            places[i] = -1;
            for (int place = 0; place < blockIds.length; place++)
            {
                places[i] = allocator.find(hashes[i]) == blockIds[place] ? place : places[i];
            }
        }
        return places;
    }
}
