// SPDX-License-Identifier: Apache-2.0
package io.signalbox.reference.conformance;

import io.signalbox.experts.RoutedExpertsException;
import io.signalbox.kv.AllocatorProfile;
import io.signalbox.kv.BlockHashFunction;
import io.signalbox.kv.BlockHasher;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.kv.KvBlockAllocator;
import io.signalbox.kv.KvBlockConfig;
import io.signalbox.kv.KvBlockException;
import io.signalbox.kv.RequestBlockTable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** One allocator of a trace: carries out its records and compares what each returns and leaves behind. */
final class RecordedAllocator
{
    private final AllocatorFields fields;
    private final KvBlockConfig config;
    private final RecordedRouting routing;
    private final KvBlockAllocator allocator;
    private final List<List<?>> notices = new ArrayList<>();
    private int[][] requestRows = new int[0][];
    private int pausedRows;

    /** Makes the allocator that an {@code init} record describes, and compares its first state. */
    RecordedAllocator(final AllocatorProfile profile, final TraceRecord record)
    {
        fields = AllocatorFields.of(profile, record);
        final TraceRecord init = record.record("args");
        final KvBlockConfig plain = KvBlockConfig.of(init.integer("pool_size"))
            .withPausedLimit(init.integer("paused_limit"));
        final EvictionPolicy policy = policy(init.text("policy"));
        config = (init.flag("prefix_caching") ? plain.withPrefixCaching(policy) : plain).asRecorded(profile);
        routing = new RecordedRouting(init);
        allocator = new KvBlockAllocator(config, routing.blockPages);
        allocator.addDeregistrationObserver(this::noteDeregistered);
        allocator.requestBlocks(new RecordedRows());
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
        String error = null;
        Object returned = null;
        try
        {
            returned = call(record.text("op"), record.record("args"));
        }
        catch (final RoutedExpertsException e)
        {
            error = "AssertionError";
        }
        catch (final KvBlockException e)
        {
            error = e.reason() == KvBlockException.Reason.BROKEN_PREFIX ? "KeyError" : "AssertionError";
        }
        compare(record, error, returned);
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
            case "alloc":
                return allocate(args.integer("n"));
            case "release":
                final int[] released = args.integers("ids");
                allocator.release(released, 0, released.length);
                return null;
            case "register":
                allocator.registerBlockHashes(args.integers("ids"), args.longs("hashes"),
                    args.has("parents") && args.get("parents") != null ? args.longs("parents") : null);
                return null;
            case "pin", "retain":
                final int[] retained = args.integers("ids");
                allocator.retain(retained, 0, retained.length);
                return null;
            case "touch":
                final int[] touched = args.integers("ids");
                allocator.touch(touched, 0, touched.length);
                return null;
            case "clock":
                allocator.clock(args.number("value"));
                return null;
            case "evict":
                return allocator.evictLru(args.integer("n"));
            case "available":
                return allocator.isMemoryAvailable(args.integer("n"), args.has("matched") ? args.integer("matched") : 0);
            case "reset":
                allocator.reset();
                return null;
            case "requests":
                setRequests(args);
                return null;
            default:
                return query(operation, args);
        }
    }

    private Object query(final String operation, final TraceRecord args)
    {
        switch (operation)
        {
            case "lookup":
                final int block = allocator.find(args.number("hash"));
                return block == KvBlockAllocator.NO_BLOCK ? null : (Object)(long)block;
            case "match":
                return match(args.longs("hashes"), args.integer("start"), args.integer("end"));
            case "block_hashes":
                return blockHashes(args.integers("tokens"), args.integer("block_size"));
            default:
                return routing.call(operation, args);
        }
    }

    private List<Long> allocate(final int count)
    {
        final int[] blocks = new int[count];
        return allocator.allocate(count, blocks, 0) ? longs(blocks) : null;
    }

    /** The parent is the hash that the match ends with, or 0 where it starts anew. */
    private Map<String, Object> match(final long[] hashes, final int start, final int end)
    {
        final int[] blocks = new int[hashes.length];
        final int matched = allocator.longestMatch(hashes, start, end, blocks, 0);
        final int last = Math.min(start + matched, hashes.length) - 1;
        final long parent = last < 0 ? 0 : hashes[last];
        final Map<String, Object> match = new LinkedHashMap<>();
        match.put("ids", longs(Arrays.copyOf(blocks, matched)));
        match.put("parent", parent);
        return match;
    }

    private static List<Long> blockHashes(final int[] tokens, final int blockSizeTokens)
    {
        final long[] hashes = new long[tokens.length / blockSizeTokens];
        BlockHasher.of(BlockHashFunction.SHA_256, blockSizeTokens).hash(tokens, tokens.length, new byte[0], hashes);
        return Arrays.stream(hashes).boxed().toList();
    }

    private void setRequests(final TraceRecord args)
    {
        pausedRows = args.integer("paused");
        requestRows = args.list("rows").stream().map(row -> TraceRecord.integers((List<?>)row)).toArray(int[][]::new);
    }

    private void noteDeregistered(final int[] blockIds, final long[] hashes, final int count)
    {
        final TreeSet<Long> known = new TreeSet<>();
        Arrays.stream(hashes, 0, count).filter(hash -> hash != KvBlockAllocator.NO_HASH).forEach(known::add);
        notices.add(List.of(longs(Arrays.copyOf(blockIds, count)), List.copyOf(known)));
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
        check(state, "free", longs(free));
        check(state, "refs", perBlock(allocator::refCount));
        check(state, "hashes", perBlock(this::recordedHash));
        check(state, "ts", perBlock(allocator::timestamp));
        check(state, "parent", perBlock(allocator::parent));
        check(state, "children", perBlock(allocator::childCount));
        checkMap(state);
        routing.compareState(state);
        Divergence.check("digest", allocator.recomputePoolDigest(), allocator.poolDigest());
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

    private static List<Long> longs(final int[] values)
    {
        return Arrays.stream(values).mapToObj(Long::valueOf).toList();
    }

    /** What usage is counted from. */
    private final class RecordedRows implements RequestBlockTable
    {
        @Override
        public int pausedRows()
        {
            return pausedRows;
        }

        @Override
        public int totalRows()
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
