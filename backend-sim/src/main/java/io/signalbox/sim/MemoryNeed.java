// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.ConfigException;
import io.signalbox.experts.ModelShape;
import io.signalbox.kv.RankPrefixIndex;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.workload.Workload;
import io.signalbox.workload.WorkloadRequest;
import org.agrona.collections.Long2LongHashMap;

import java.util.Arrays;

/** The heap that a simulation needs; one that needs more than there is can be refused before it begins. */
public final class MemoryNeed
{
    /** Per KV block in each array of a pool: records, ages, places, stack and pages; without the prefix index. */
    private static final long[] BLOCK_ARRAYS = {32, 8, 4, 4, 4};
    /** Of a run whatever its size: engine, encoders, tables of the simulated experts. */
    private static final long RUN_BYTES = 8L << 20;
    /** Of a rank beside its pool: planner, batch, last step, report; measured with 1 to 1,024 ranks. */
    private static final long RANK_BYTES = 96L << 10;
    /** A garbage collector needs more room than the objects have; large arrays take whole regions. */
    private static final long HEADROOM_SHARE = 8;
    private static final String AS_THE_HEAP = "as much as the Java heap holds";

    private MemoryNeed()
    {
    }

    /** @throws ConfigException that names the settings if the heap or the machine cannot hold the run. */
    public static void check(final SchedulerConfig config, final Workload workload, final HeapLimits limits)
    {
        final long pools = poolBytes(config, config.kvBlocks(), limits) + prefixBytes(config, workload);
        final long rows = rowBytes(config, workload);
        final long need = bytes(config, workload, limits);
        if (need < limits.usableHeap())
        {
            return;
        }
        final String heap = ", and " + limits.text();
        if (pools > rows)
        {
            throw ConfigException.because(SchedulerConfig.RANKS.of(config.ranks()), " with ",
                    SchedulerConfig.KV_BLOCKS.of(config.kvBlocks()), " needs " + HeapLimits.size(need) + " of memory" + heap)
                .allowed(AS_THE_HEAP).remedy("give fewer ranks or blocks, " + limits.larger(need));
        }
        throw ConfigException.because(ModelShape.MOE_LAYERS.of(config.capture().moeLayers()), " with ",
                ModelShape.TOP_K.of(config.capture().topK()),
                " needs " + HeapLimits.size(need) + " of memory with the rows of the longest request" + heap)
            .allowed(AS_THE_HEAP)
            .remedy("give fewer layers or a smaller ", ModelShape.TOP_K.named(), ", " + limits.larger(need));
    }

    /** An upper bound of the bytes that a run holds at a time, with room for the collector. */
    public static long bytes(final SchedulerConfig config, final Workload workload, final HeapLimits limits)
    {
        final long live = RUN_BYTES + poolBytes(config, config.kvBlocks(), limits) + prefixBytes(config, workload) +
            rowBytes(config, workload);
        return live + live / HEADROOM_SHARE;
    }

    /**
     * Checks runs that are made later, without the index over all ranks, whose size depends on their workloads.
     *
     * @param runs that run at the same time.
     * @throws ConfigException that names the settings if the heap or the machine cannot hold the runs.
     */
    public static void checkPools(
        final SchedulerConfig config, final int kvBlocks, final int runs, final HeapLimits limits)
    {
        final long live = runs * (RUN_BYTES + poolBytes(config, kvBlocks, limits));
        final long bytes = live + live / HEADROOM_SHARE;
        if (bytes >= limits.usableHeap())
        {
            throw ConfigException.because(new ConfigException.Named("workers", Integer.toString(runs)), " with ",
                    SchedulerConfig.RANKS.of(config.ranks()), " and ", SchedulerConfig.KV_BLOCKS.of(kvBlocks),
                    " needs " + HeapLimits.size(bytes) + " of memory, and " + limits.text())
                .allowed(AS_THE_HEAP).remedy("give fewer workers, ranks or blocks, " + limits.larger(bytes));
        }
    }

    /** Each rank allocates the records of its pool at the start. */
    private static long poolBytes(final SchedulerConfig config, final int kvBlocks, final HeapLimits limits)
    {
        long bytes = RANK_BYTES + blockBytes(BLOCK_ARRAYS, kvBlocks, limits);
        // Slots of the prefix index: the power of two above 4/3 of the blocks.
        bytes += limits.arrayBytes(Integer.BYTES * 2 * Long.highestOneBit(kvBlocks + kvBlocks / 3L));
        return config.ranks() * bytes;
    }

    private static long blockBytes(final long[] arrays, final int kvBlocks, final HeapLimits limits)
    {
        return Arrays.stream(arrays).map(width -> limits.arrayBytes(width * kvBlocks)).sum();
    }

    /**
     * The index over all ranks, if there are several: for as many block hashes as the pools hold or the prompts have,
     * whichever is less.
     */
    private static long prefixBytes(final SchedulerConfig config, final Workload workload)
    {
        if (config.ranks() == 1 || !config.router().router(config.ranks(), config.prefixCaching()).readsMatches())
        {
            return 0;
        }
        final long pooled = (long)config.ranks() * config.kvBlocks();
        return RankPrefixIndex.tableBytes(
            config.ranks(), Math.min(pooled, distinctTokens(workload) / config.blockSizeTokens()));
    }

    /** Later turns of a conversation are taken to begin with the earlier ones: its longest prompt counts for all. */
    private static long distinctTokens(final Workload workload)
    {
        final Long2LongHashMap longest = new Long2LongHashMap(0);
        long tokens = 0;
        for (final WorkloadRequest request : workload.requests())
        {
            final long own = request.promptTokens();
            final long before = request.conversationId() < 0 ? 0 : longest.get(request.conversationId());
            if (request.conversationId() >= 0 && own > before)
            {
                longest.put(request.conversationId(), own);
            }
            tokens += Math.max(0, own - before);
        }
        return tokens;
    }

    /**
     * Rows live with the tokens that they belong to: those of running requests and those of cached prefixes, which no
     * pool holds more of than it has room for.
     */
    private static long rowBytes(final SchedulerConfig config, final Workload workload)
    {
        if (config.capture() == null)
        {
            return 0;
        }
        long outputs = 0;
        long longest = 0;
        for (final WorkloadRequest request : workload.requests())
        {
            outputs += request.outputTokens();
            longest = Math.max(longest, (long)request.promptTokens() + request.outputTokens());
        }
        final long pageTokens = config.blockSizeTokens();
        final long pooled = (long)config.ranks() * config.kvBlocks() * pageTokens;
        final long held = Math.max(longest + pageTokens, Math.min(pooled, distinctTokens(workload) + outputs));
        return held * config.capture().rowBytes();
    }
}
