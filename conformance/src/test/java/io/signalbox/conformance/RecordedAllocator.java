// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance;

import io.signalbox.conformance.megatron.AllocatorProfile;
import io.signalbox.conformance.megatron.MegatronFailure;
import io.signalbox.conformance.megatron.MegatronKvBlocks;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.kv.KvBlockAllocator;
import io.signalbox.kv.KvBlockConfig;
import io.signalbox.kv.RequestBlockTable;
import io.signalbox.kv.hash.BlockHashFunction;
import io.signalbox.kv.hash.BlockHasher;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** One allocator of a trace: carries out its records and compares what each returns and leaves behind. */
final class RecordedAllocator
{
    private final AllocatorFields fields;
    private final KvBlockConfig config;
    private final RecordedRouting routing;
    private final MegatronKvBlocks allocator;
    private final ProductionBeside beside;
    private final List<List<?>> notices = new ArrayList<>();
    private int[][] requestRows = new int[0][];
    private int pausedRequests;

    /** Makes the allocator that an {@code init} record describes, and compares its first state. */
    RecordedAllocator(final AllocatorProfile profile, final TraceRecord record)
    {
        fields = AllocatorFields.of(profile, record);
        final TraceRecord init = record.record("args");
        final KvBlockConfig plain = KvBlockConfig.of(init.integer("pool_size"))
            .withPausedLimit(init.integer("paused_limit"));
        final EvictionPolicy policy = policy(init.text("policy"));
        config = init.flag("prefix_caching") ? plain.withPrefixCaching(policy) : plain;
        routing = new RecordedRouting(init);
        allocator = new MegatronKvBlocks(config, profile, routing.routing);
        PoolCalls.noteDeregistered(allocator, notices);
        allocator.requestBlocks(new RecordedRows());
        beside = profile == AllocatorProfile.MEGATRON_2026_08 ?
            new ProductionBeside(config, allocator, new RecordedRows()) : null;
        compare(record, null, null);
    }

    static EvictionPolicy policy(final String name)
    {
        return switch (name)
        {
            case "lru" -> EvictionPolicy.LRU;
            case "ref_zero" -> EvictionPolicy.REF_ZERO;
            default -> throw new Divergence("policy \"" + name + "\" is neither lru nor ref_zero");
        };
    }

    void replay(final TraceRecord record)
    {
        fields.check(record);
        notices.clear();
        if (beside != null)
        {
            beside.lookAhead(record);
        }
        String error = null;
        Object returned = null;
        try
        {
            returned = call(record.text("op"), record.record("args"));
        }
        catch (final MegatronFailure e)
        {
            error = e.kind().original();
        }
        compare(record, error, returned);
        if (beside != null)
        {
            beside.follow(record, error, returned, notices);
        }
    }

    /** The engine's allocator, with the same calls; null if nothing is to be compared with it. */
    ProductionBeside beside()
    {
        return beside;
    }

    private void compare(final TraceRecord record, final String error, final Object returned)
    {
        Divergence.check("error", record.has("err") ? record.text("err") : null, error);
        Divergence.check("returned", record.get("ret"), returned);
        Divergence.check("notices", record.has("dereg") ? record.list("dereg") : List.of(), notices);
        compareState(record.record("state"));
    }

    private Object call(final String operation, final TraceRecord args)
    {
        switch (operation)
        {
            case "requests":
                setRequests(args);
                return null;
            case "block_hashes":
                return blockHashes(args.integers("tokens"), args.integer("block_size"));
            default:
                return PoolCalls.isKnown(operation) ? PoolCalls.call(allocator, operation, args) :
                    routing.call(operation, args);
        }
    }

    private static List<Long> blockHashes(final int[] tokens, final int blockSizeTokens)
    {
        final long[] hashes = new long[tokens.length / blockSizeTokens];
        BlockHasher.of(BlockHashFunction.SHA_256, blockSizeTokens).hash(tokens, tokens.length, new byte[0], hashes);
        return Arrays.stream(hashes).boxed().toList();
    }

    private void setRequests(final TraceRecord args)
    {
        pausedRequests = args.integer("paused");
        requestRows = args.list("rows").stream().map(row -> TraceRecord.integers((List<?>)row)).toArray(int[][]::new);
    }

    private void compareState(final TraceRecord state)
    {
        fields.checkState(state);
        check(state, "avail", allocator.totalAvailable());
        check(state, "total_used", allocator.totalUsed());
        check(state, "active_used", allocator.activeUsed());
        check(state, "paused_used", allocator.pausedUsed());
        check(state, "allocatable", allocator.allocatableCount());
        check(state, "active_avail", allocator.activeAvailable());
        check(state, "paused_avail", allocator.pausedAvailable());
        check(state, "evictable", allocator.evictableCount());
        check(state, "hash_count", allocator.hashCount());
        final int[] free = new int[allocator.totalAvailable()];
        Arrays.setAll(free, allocator::freeBlock);
        check(state, "free", PoolCalls.longs(free));
        check(state, "refs", perBlock(allocator::refCount));
        check(state, "hashes", perBlock(this::recordedHash));
        check(state, "ts", perBlock(allocator::timestamp));
        check(state, "parent", perBlock(allocator::parent));
        check(state, "children", perBlock(allocator::childCount));
        checkMap(state);
        routing.compareState(state);
    }

    private interface BlockValue
    {
        long of(int blockId);
    }

    private List<Long> perBlock(final BlockValue value)
    {
        return IntStream.range(0, config.poolSize()).mapToObj(value::of).toList();
    }

    private long recordedHash(final int blockId)
    {
        final long hash = allocator.blockHash(blockId);
        return hash == KvBlockAllocator.NO_HASH ? -1 : hash;
    }

    /** The recorded entries as this allocator finds them, and as many as it has: so there are no others. */
    private void checkMap(final TraceRecord state)
    {
        if (state.has("map"))
        {
            final TreeMap<Long, Object> found = new TreeMap<>();
            for (final Object entry : state.list("map"))
            {
                final Long hash = (Long)((List<?>)entry).get(0);
                found.put(hash, List.of(hash, (long)allocator.find(hash)));
            }
            Divergence.check("map", state.list("map"), List.copyOf(found.values()));
            Divergence.check("entries of map", found.size(), allocator.hashCount());
        }
    }

    private static void check(final TraceRecord state, final String field, final List<Long> actual)
    {
        if (state.has(field))
        {
            Divergence.check(field, state.list(field), actual);
        }
    }

    private static void check(final TraceRecord state, final String field, final long actual)
    {
        if (state.has(field))
        {
            Divergence.check(field, state.get(field), actual);
        }
    }

    /** The start from which usage is counted. */
    private final class RecordedRows implements RequestBlockTable
    {
        @Override
        public int pausedRequests()
        {
            return pausedRequests;
        }

        @Override
        public int totalRequests()
        {
            return requestRows.length;
        }

        @Override
        public int blockCount(final int row)
        {
            return requestRows[row].length;
        }

        @Override
        public int blockId(final int row, final int index)
        {
            return requestRows[row][index];
        }
    }
}
