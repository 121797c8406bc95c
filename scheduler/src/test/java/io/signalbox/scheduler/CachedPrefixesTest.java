// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.ConfigException;
import io.signalbox.experts.ModelShape;
import io.signalbox.kv.KvBlockAllocator;
import io.signalbox.scheduler.CachedPrefixes.Block;
import org.junit.jupiter.api.Test;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class CachedPrefixesTest
{
    private static final SchedulerConfig CONFIG = SchedulerConfig.builder().ranks(2).kvBlocks(9).build();
    /** A prompt of three blocks, and two of one block; the last block of the long one was used last. */
    private static final List<Block> BLOCKS = List.of(
        new Block(13, 12, 2, 40), new Block(21, 0, 0, 20), new Block(11, 0, 0, 40), new Block(12, 11, 1, 40),
        new Block(31, 0, 0, 30));

    private static KvBlockAllocator poolOf(final SchedulerConfig config, final int rank, final List<List<Block>> blocks)
    {
        final Scheduler scheduler = new Scheduler(config);
        new CachedPrefixes(blocks).fill(scheduler, config.ranks());
        return scheduler.blocks(rank).allocator();
    }

    /** Hashes by the time of their last use; of those that were used last together, only the leaf can be evicted. */
    private static List<Long> byUse(final KvBlockAllocator pool, final Long... hashes)
    {
        return Stream.of(hashes).sorted(Comparator.comparingLong(hash -> pool.timestamp(pool.find(hash)))).toList();
    }

    @Test
    void shouldBeFoundAndEvictedInTheOrderOfTheirUse()
    {
        final KvBlockAllocator pool = poolOf(CONFIG, 0, List.of(BLOCKS, List.of()));

        assertEquals(3, pool.longestMatch(new long[]{11, 12, 13, 14}, 0, 4, new int[4], 0));
        assertEquals(5, pool.evictableCount());
        assertEquals(0, pool.owned());
        assertEquals(3, pool.totalAvailable());
        assertEquals(List.of(21L, 31L, 13L), byUse(pool, 13L, 21L, 31L));
        assertEquals(pool.timestamp(pool.find(11)), pool.timestamp(pool.find(13)));
        assertEquals(pool.find(12), pool.parent(pool.find(13)));
        assertEquals(1, pool.childCount(pool.find(11)));
    }

    @Test
    void shouldKeepWhatWasUsedLastInASmallPool()
    {
        final KvBlockAllocator pool =
            poolOf(CONFIG.toBuilder().kvBlocks(3).build(), 0, List.of(BLOCKS, List.of()));

        assertEquals(2, pool.longestMatch(new long[]{11, 12, 13}, 0, 3, new int[3], 0));
        assertEquals(2, pool.evictableCount());
    }

    @Test
    void shouldUniteRanksThatOneRankReplaces()
    {
        final List<List<Block>> ranks =
            List.of(BLOCKS.subList(0, 2), List.of(new Block(51, 0, 0, 9)), List.of(new Block(21, 0, 0, 50)));
        final KvBlockAllocator first = poolOf(CONFIG, 0, ranks);

        assertEquals(2, first.hashCount());
        assertEquals(6, first.totalAvailable());
        assertEquals(1, poolOf(CONFIG, 1, ranks).hashCount());
        assertEquals(0, poolOf(CONFIG.toBuilder().ranks(4).build(), 3, ranks).hashCount());
    }

    @Test
    void shouldBeginEmptyWithoutACache()
    {
        final KvBlockAllocator pool =
            poolOf(CONFIG.toBuilder().prefixCaching(false).build(), 0, List.of(BLOCKS, List.of()));

        assertEquals(8, pool.totalAvailable());
    }

    @Test
    void shouldRefuseASchedulerThatCapturesRows()
    {
        final Scheduler scheduler =
            new Scheduler(CONFIG.toBuilder().capture(new ModelShape(1, 4, 1)).build());

        assertEquals("the rows of cached blocks are not known, so that a run that captures routed experts cannot begin " +
            "with them; switch capture off.", assertThrows(ConfigException.class,
                () -> new CachedPrefixes(List.of(BLOCKS)).fill(scheduler, 2)).getMessage());
    }
}
