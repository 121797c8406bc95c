// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import static io.signalbox.kv.Blocks.allocate;
import static io.signalbox.kv.Blocks.hashes;
import static io.signalbox.kv.Blocks.release;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class DeregistrationObserverTest
{
    private final List<String> told = new ArrayList<>();

    private void note(final int[] blockIds, final long[] blockHashes, final int count)
    {
        told.add(Arrays.toString(Arrays.copyOf(blockIds, count)) + " " + Arrays.toString(Arrays.copyOf(blockHashes, count)));
    }

    @Test
    void shouldTellEveryObserverOnceOfARelease()
    {
        final KvBlockAllocator allocator =
            new KvBlockAllocator(KvBlockConfig.of(4).withPrefixCaching(EvictionPolicy.REF_ZERO));
        allocator.addDeregistrationObserver(this::note);
        allocator.addDeregistrationObserver(this::note);
        final int[] blocks = allocate(allocator, 2);
        allocator.registerBlockHashes(blocks, hashes(101, 202), hashes(0, 101));
        release(allocator, blocks[1], blocks[0]);
        assertEquals(List.of("[1, 2] [101, 202]", "[1, 2] [101, 202]"), told);
    }

    @Test
    void shouldTellOfEvictedBlocksInTheirOrderWhenTheirSuccessorsAreHandedOut()
    {
        final KvBlockAllocator allocator = new KvBlockAllocator(KvBlockConfig.of(4).withPrefixCaching(EvictionPolicy.LRU));
        allocator.addDeregistrationObserver(this::note);
        final int[] blocks = allocate(allocator, 3);
        allocator.registerBlockHashes(blocks, hashes(1, 2, 3), hashes(0, 1, 2));
        release(allocator, blocks);
        assertEquals(List.of(), told);
        allocate(allocator, 2);
        assertEquals(List.of("[2, 1] [3, 2]"), told);
    }

    @Test
    void shouldCompleteTheOperationAndTellTheOthersWhenAnObserverFails()
    {
        final KvBlockAllocator allocator = new KvBlockAllocator(KvBlockConfig.of(3).withPrefixCaching(EvictionPolicy.LRU));
        final IllegalStateException failure = new IllegalStateException("observer fails");
        allocator.addDeregistrationObserver((blocks, hashes, count) ->
        {
            throw failure;
        });
        allocator.addDeregistrationObserver(this::note);
        final int[] blocks = allocate(allocator, 2);
        allocator.registerBlockHashes(blocks, hashes(1, 2), hashes(0, 1));
        release(allocator, blocks);
        final int[] fresh = new int[2];
        assertSame(failure, assertThrows(IllegalStateException.class, () -> allocator.allocate(2, fresh, 0)));
        assertEquals(1, told.size());
        assertEquals(1, allocator.refCount(fresh[0]));
        assertEquals(0, allocator.hashCount());
        assertEquals(allocator.recomputePoolDigest(), allocator.poolDigest());
    }

    @Test
    void shouldTellAListenerOfEveryHandOutAndReset()
    {
        final KvBlockAllocator allocator = new KvBlockAllocator(KvBlockConfig.of(8), new KvBlockListener()
        {
            @Override
            public void onHandedOut(final int[] blockIds, final int offset, final int count)
            {
                told.add(Arrays.toString(Arrays.copyOfRange(blockIds, offset, offset + count)));
            }

            @Override
            public void onReset()
            {
                told.add("reset");
            }
        });
        final int[] table = new int[5];
        assertTrue(allocator.allocate(2, table, 3));
        allocator.reset();
        assertEquals(List.of("[5, 6]", "reset"), told);
    }
}
