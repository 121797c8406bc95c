// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import com.sun.management.ThreadMXBean;
import io.signalbox.TestStrength;
import org.junit.jupiter.api.Test;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Memory of an allocator, measured as the bytes that the JVM allocates. */
class KvBlockMemoryTest
{
    private static final int MAX_BYTES_PER_BLOCK = 64;
    /** Objects, buffers of single calls, and the counters of the sort. */
    private static final long FIXED_BYTES = 8192;

    private final ThreadMXBean threads = (ThreadMXBean)ManagementFactory.getThreadMXBean();
    private final long self = Thread.currentThread().getId();

    @Test
    void shouldTakeAtMost64BytesPerBlock()
    {
        // Powers of two, and one more than three quarters of each: there the index is largest per block.
        final List<Integer> pools = new ArrayList<>(List.of(1024, 12_289, 16_384, 49_153, 1 << 20));
        if (TestStrength.isFull())
        {
            pools.addAll(List.of(12_582_913, KvBlockConfig.MAX_POOL_SIZE));
        }
        // Loads the classes, whose constants belong to no pool.
        assertEquals(63, new KvBlockAllocator(KvBlockConfig.of(64).withPrefixCaching(EvictionPolicy.LRU)).totalAvailable());
        for (final int pool : pools)
        {
            final KvBlockConfig config = KvBlockConfig.of(pool).withPrefixCaching(EvictionPolicy.LRU);
            final long before = threads.getThreadAllocatedBytes(self);
            final KvBlockAllocator allocator = new KvBlockAllocator(config);
            final long bytes = threads.getThreadAllocatedBytes(self) - before;
            assertEquals(pool - 1, allocator.totalAvailable());
            assertTrue(bytes - FIXED_BYTES <= (long)pool * MAX_BYTES_PER_BLOCK,
                pool + " blocks take " + (double)bytes / pool + " bytes each");
        }
    }

    @Test
    void shouldAllocateNothingOnceTheBuffersHaveGrown()
    {
        final KvBlockAllocator allocator =
            new KvBlockAllocator(KvBlockConfig.of(4096).withPrefixCaching(EvictionPolicy.LRU));
        final int[] table = new int[1024];
        final long[] hashes = new long[1024];
        for (int i = 0; i < 200; i++)
        {
            cycle(allocator, table, hashes, i);
        }
        final long before = threads.getThreadAllocatedBytes(self);
        for (int i = 200; i < 400; i++)
        {
            cycle(allocator, table, hashes, i);
        }
        // The measurement itself makes a few bytes.
        final long bytes = threads.getThreadAllocatedBytes(self) - before;
        assertTrue(bytes < 1024, bytes + " bytes of garbage in 200 cycles of 1,024 blocks");
    }

    /** A prompt of which half is known comes, is computed and goes; eviction makes room for it. */
    private static void cycle(final KvBlockAllocator allocator, final int[] table, final long[] hashes, final int round)
    {
        for (int i = 0; i < hashes.length; i++)
        {
            hashes[i] = 1 + i + (i < 512 ? 0 : 10_000L * (1 + round));
        }
        allocator.tick();
        final int matched = allocator.longestMatch(hashes, 0, hashes.length, table, 0);
        allocator.retain(table, 0, matched);
        assertTrue(allocator.allocate(table.length - matched, table, matched));
        for (int i = matched; i < table.length; i++)
        {
            allocator.register(table[i], hashes[i], i == 0 ? KvBlockAllocator.NO_HASH : hashes[i - 1], i);
        }
        allocator.release(table, 0, table.length);
    }
}
