// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.ConfigException;
import io.signalbox.batch.RankBlocks;
import io.signalbox.kv.KvBlockAllocator;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Blocks that ranks have in their caches before the first input, such as those of a recorded run at some time. No event
 * tells of them, so that a run that begins with them is not to be journaled.
 *
 * @param ranks the blocks of each rank.
 */
public record CachedPrefixes(List<List<Block>> ranks)
{
    private static final Comparator<Block> NEWEST_FIRST =
        Comparator.comparingLong(Block::lastUse).reversed().thenComparingInt(Block::depth).thenComparingLong(Block::hash);
    private static final Comparator<Block> PARENTS_FIRST =
        Comparator.comparingInt(Block::depth).thenComparingLong(Block::lastUse).thenComparingLong(Block::hash);

    /**
     * A block with a full content.
     *
     * @param hash       names the block and all tokens before it.
     * @param parentHash of the block before it; {@link KvBlockAllocator#NO_HASH} for a first one.
     * @param depth      blocks before it.
     * @param lastUse    any number that rises with the time of the last use.
     */
    public record Block(long hash, long parentHash, int depth, long lastUse)
    {
    }

    /** Blocks of all ranks. */
    public long blocks()
    {
        return ranks.stream().mapToLong(List::size).sum();
    }

    /**
     * Fills the caches of a scheduler without inputs. If it has other ranks, rank i gets the blocks of each rank whose
     * number is i modulo the number of ranks. If a pool is too small, it gets those that were used last. A scheduler that
     * keeps no block without an owner begins empty.
     *
     * @throws ConfigException if the scheduler captures routed experts: nobody has the rows of these blocks.
     */
    public void fill(final Scheduler scheduler, final int schedulerRanks)
    {
        if (scheduler.pages() != null)
        {
            throw new ConfigException("the rows of cached blocks are not known, so that a run that captures routed " +
                "experts cannot begin with them; switch capture off.");
        }
        for (int rank = 0; rank < schedulerRanks; rank++)
        {
            final RankBlocks blocks = scheduler.blocks(rank);
            if (blocks.allocator().config().keepsCachedBlocks())
            {
                fill(blocks, kept(rank, schedulerRanks, blocks.allocator().totalAvailable()).toArray(Block[]::new));
            }
        }
    }

    /**
     * The blocks that a rank of a scheduler begins with; {@link #fill} says which. Parents come before their children.
     *
     * @param poolBlocks capacity of the rank.
     */
    public List<Block> kept(final int rank, final int schedulerRanks, final int poolBlocks)
    {
        final List<Block> all = new ArrayList<>();
        for (int from = rank; from < ranks.size(); from += schedulerRanks)
        {
            all.addAll(ranks.get(from));
        }
        return all.stream().sorted(NEWEST_FIRST).limit(poolBlocks).sorted(PARENTS_FIRST).toList();
    }

    private static void fill(final RankBlocks rank, final Block[] kept)
    {
        final KvBlockAllocator pool = rank.allocator();
        final int[] ids = new int[kept.length];
        pool.allocate(kept.length, ids, 0);
        for (int i = 0; i < kept.length; i++)
        {
            if (pool.register(ids[i], kept[i].hash, kept[i].parentHash, kept[i].depth))
            {
                rank.cachedBefore(kept[i].hash);
            }
        }
        use(pool, kept, ids);
        pool.release(ids, 0, ids.length);
    }

    /** Gives the blocks the order of their last use, by which they are evicted. */
    private static void use(final KvBlockAllocator pool, final Block[] kept, final int[] ids)
    {
        final Integer[] order = new Integer[kept.length];
        Arrays.setAll(order, i -> i);
        Arrays.sort(order, Comparator.comparingLong(i -> kept[i].lastUse));
        for (int i = 0; i < order.length; i++)
        {
            if (i == 0 || kept[order[i]].lastUse != kept[order[i - 1]].lastUse)
            {
                pool.tick();
            }
            pool.touch(ids, order[i], 1);
        }
    }
}
