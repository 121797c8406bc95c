// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.ConfigException;
import io.signalbox.kv.RankPrefixIndex;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.workload.Workload;
import io.signalbox.workload.WorkloadRequest;
import org.agrona.collections.Long2LongHashMap;

/** Heap that a run needs; a run that asks for more is refused before it begins. */
final class MemoryNeed
{
    /** Of the allocator's arrays, its heap and the block's page; the prefix index comes on top. */
    private static final long KV_BLOCK_BYTES = 56;
    private static final long INDEX_SLOT_BYTES = 12;
    /** Of a run whatever its size: engine, encoders, tables of the simulated experts. */
    private static final long RUN_BYTES = 8L << 20;
    /** Of a rank beside its pool: planner, batch, last step, report; measured with 1 to 1,024 ranks. */
    private static final long RANK_BYTES = 96L << 10;
    /** A garbage collector needs more room than the objects have; large arrays take whole regions. */
    private static final long HEADROOM_SHARE = 8;

    private MemoryNeed()
    {
    }

    /** @throws ConfigException that names the options where {@code heapBytes} cannot hold the run. */
    static void check(final SchedulerConfig config, final Workload workload, final long heapBytes)
    {
        final long pools = poolBytes(config) + prefixBytes(config, workload);
        final long rows = rowBytes(config, workload);
        final long need = bytes(config, workload);
        if (need < heapBytes)
        {
            return;
        }
        final String remedy = ", or a larger heap, for example with JAVA_TOOL_OPTIONS=-Xmx" +
            (2 * need / (1L << 30) + 1) + "g.";
        throw new ConfigException(pools > rows
            ? "--ranks=" + config.ranks() + " with --kv-blocks=" + config.kvBlocks() + " needs " + Decimals.bytes(pools) +
                " of memory, and the Java heap has " + Decimals.bytes(heapBytes) + "; give fewer ranks or blocks" + remedy
            : "--moe-layers=" + config.capture().moeLayers() + " with --top-k=" + config.capture().topK() + " needs " +
                Decimals.bytes(rows) + " of memory for the rows of the longest request, and the Java heap has " +
                Decimals.bytes(heapBytes) + "; give fewer layers or a smaller --top-k" + remedy);
    }

    /** An upper bound of what a run holds at a time, with room for the collector. */
    static long bytes(final SchedulerConfig config, final Workload workload)
    {
        final long live = RUN_BYTES + poolBytes(config) + prefixBytes(config, workload) + rowBytes(config, workload);
        return live + live / HEADROOM_SHARE;
    }

    /**
     * Without the index over all ranks, which grows with workloads that are not made yet.
     *
     * @throws ConfigException that names the options where {@code heapBytes} cannot hold several runs at a time.
     */
    static void checkPools(final SchedulerConfig config, final int kvBlocks, final int runs, final long heapBytes)
    {
        final long bytes = runs * (RUN_BYTES + poolBytes(config.ranks(), kvBlocks));
        if (bytes >= heapBytes)
        {
            throw new ConfigException("--workers=" + runs + " with --ranks=" + config.ranks() + " and --kv-blocks=" +
                kvBlocks + " needs " + Decimals.bytes(bytes) + " of memory, and the Java heap has " +
                Decimals.bytes(heapBytes) + "; give fewer workers, ranks or blocks, or a larger heap, for example with " +
                "JAVA_TOOL_OPTIONS=-Xmx" + (2 * bytes / (1L << 30) + 1) + "g.");
        }
    }

    private static long poolBytes(final SchedulerConfig config)
    {
        return poolBytes(config.ranks(), config.kvBlocks());
    }

    /** The pools' books are laid out at the start, one per rank. */
    private static long poolBytes(final int ranks, final int kvBlocks)
    {
        final long slots = 2L * Integer.highestOneBit(2 * kvBlocks - 1);
        return ranks * (RANK_BYTES + kvBlocks * KV_BLOCK_BYTES + slots * INDEX_SLOT_BYTES);
    }

    /**
     * The index over all ranks: for as many block hashes as the pools hold or the prompts have, whichever is less.
     */
    private static long prefixBytes(final SchedulerConfig config, final Workload workload)
    {
        if (!config.router().router(config.ranks(), config.prefixCaching()).readsMatches())
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
