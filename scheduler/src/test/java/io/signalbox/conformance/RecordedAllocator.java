// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance;

import com.fasterxml.jackson.databind.JsonNode;
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
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;

/** One allocator of a trace: carries out its records and compares what each returns and leaves behind. */
final class RecordedAllocator
{
    private final KvBlockConfig config;
    private final RecordedRouting routing;
    private final KvBlockAllocator allocator;
    private final List<String> notices = new ArrayList<>();
    private int[][] requestRows = new int[0][];
    private int pausedRows;

    RecordedAllocator(final AllocatorProfile profile, final JsonNode init)
    {
        final KvBlockConfig plain = KvBlockConfig.of(init.get("pool_size").asInt())
            .withPausedLimit(init.get("paused_limit").asInt());
        config = (init.get("prefix_caching").asBoolean() ? plain.withPrefixCaching(policy(init)) : plain)
            .asRecorded(profile);
        routing = new RecordedRouting(init);
        allocator = new KvBlockAllocator(config, routing.blockPages);
        allocator.addDeregistrationObserver(this::noteDeregistered);
        allocator.requestBlocks(new RecordedRows());
    }

    private static EvictionPolicy policy(final JsonNode init)
    {
        return init.get("policy").asText().equals("lru") ? EvictionPolicy.LRU : EvictionPolicy.REF_ZERO;
    }

    void replay(final JsonNode record)
    {
        notices.clear();
        final JsonNode args = record.get("args");
        String error = null;
        Object returned = null;
        try
        {
            returned = call(record.get("op").asText(), args);
        }
        catch (final RoutedExpertsException e)
        {
            error = "AssertionError";
        }
        catch (final KvBlockException e)
        {
            error = e.reason() == KvBlockException.Reason.BROKEN_PREFIX ? "KeyError" : "AssertionError";
        }
        Divergence.check("error", record.has("err") ? record.get("err").asText() : null, error);
        Divergence.check("returned", error == null ? expected(record.get("ret")) : null, returned);
        Divergence.check("notices", expectedNotices(record.get("dereg")), notices);
        compareState(record.get("state"));
    }

    private Object call(final String operation, final JsonNode args)
    {
        switch (operation)
        {
            case "alloc":
                return allocate(args.get("n").asInt());
            case "release":
                final int[] released = ints(args.get("ids"));
                allocator.release(released, 0, released.length);
                return null;
            case "register":
                allocator.registerBlockHashes(ints(args.get("ids")), longs(args.get("hashes")),
                    args.has("parents") && !args.get("parents").isNull() ? longs(args.get("parents")) : null);
                return null;
            case "pin", "retain":
                final int[] retained = ints(args.get("ids"));
                allocator.retain(retained, 0, retained.length);
                return null;
            case "touch":
                final int[] touched = ints(args.get("ids"));
                allocator.touch(touched, 0, touched.length);
                return null;
            case "clock":
                allocator.clock(args.get("value").asLong());
                return null;
            case "evict":
                return allocator.evictLru(args.get("n").asInt());
            case "available":
                return allocator.isMemoryAvailable(args.get("n").asInt(), args.path("matched").asInt(0));
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

    private Object query(final String operation, final JsonNode args)
    {
        switch (operation)
        {
            case "lookup":
                final int block = allocator.find(args.get("hash").asLong());
                return block == KvBlockAllocator.NO_BLOCK ? null : block;
            case "match":
                return match(longs(args.get("hashes")), args.get("start").asInt(), args.get("end").asInt());
            case "block_hashes":
                return blockHashes(ints(args.get("tokens")), args.get("block_size").asInt());
            default:
                return routing.call(operation, args);
        }
    }

    private List<Long> allocate(final int count)
    {
        final int[] blocks = new int[count];
        return allocator.allocate(count, blocks, 0) ? Arrays.stream(blocks).mapToLong(id -> id).boxed().toList() : null;
    }

    /** The parent is the hash that the match ends with, or 0 where it starts anew. */
    private List<Object> match(final long[] hashes, final int start, final int end)
    {
        final int[] blocks = new int[hashes.length];
        final int matched = allocator.longestMatch(hashes, start, end, blocks, 0);
        final int last = Math.min(start + matched, hashes.length) - 1;
        final long parent = last < 0 ? 0 : hashes[last];
        return List.of(Arrays.stream(blocks, 0, matched).boxed().toList(), parent);
    }

    private static List<Long> blockHashes(final int[] tokens, final int blockSizeTokens)
    {
        final long[] hashes = new long[tokens.length / blockSizeTokens];
        BlockHasher.of(BlockHashFunction.SHA_256, blockSizeTokens).hash(tokens, tokens.length, new byte[0], hashes);
        return Arrays.stream(hashes).boxed().toList();
    }

    private void setRequests(final JsonNode args)
    {
        pausedRows = args.get("paused").asInt();
        requestRows = new int[args.get("rows").size()][];
        for (int row = 0; row < requestRows.length; row++)
        {
            requestRows[row] = ints(args.get("rows").get(row));
        }
    }

    private void noteDeregistered(final int[] blockIds, final long[] hashes, final int count)
    {
        final TreeSet<Long> known = new TreeSet<>();
        Arrays.stream(hashes, 0, count).filter(hash -> hash != KvBlockAllocator.NO_HASH).forEach(known::add);
        notices.add(Arrays.toString(Arrays.copyOf(blockIds, count)) + " " + known);
    }

    private static List<String> expectedNotices(final JsonNode notices)
    {
        final List<String> expected = new ArrayList<>();
        for (int i = 0; notices != null && i < notices.size(); i++)
        {
            expected.add(Arrays.toString(ints(notices.get(i).get(0))) + " " +
                Arrays.stream(longs(notices.get(i).get(1))).boxed().toList());
        }
        return expected;
    }

    void compareState(final JsonNode state)
    {
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
        check(state, "free", free);
        check(state, "refs", perBlock(allocator::refCount));
        check(state, "hashes", perBlock(this::recordedHash));
        check(state, "ts", perBlock(allocator::timestamp));
        check(state, "parent", perBlock(allocator::parent));
        check(state, "children", perBlock(allocator::childCount));
        if (state.has("map"))
        {
            Divergence.check("map", state.get("map").toString(), map(state.get("map")));
        }
        routing.compareState(state);
        Divergence.check("digest", allocator.recomputePoolDigest(), allocator.poolDigest());
    }

    private interface BlockValue
    {
        long of(int blockId);
    }

    private long[] perBlock(final BlockValue value)
    {
        final long[] values = new long[config.poolSize()];
        Arrays.setAll(values, value::of);
        return values;
    }

    private long recordedHash(final int blockId)
    {
        final long hash = allocator.blockHash(blockId);
        return hash == KvBlockAllocator.NO_HASH ? -1 : hash;
    }

    /** The recorded entries as this allocator finds them; that there are no others is what the count of hashes says. */
    private String map(final JsonNode recorded)
    {
        final TreeMap<Long, Integer> found = new TreeMap<>();
        recorded.forEach(entry -> found.put(entry.get(0).asLong(), allocator.find(entry.get(0).asLong())));
        final List<String> entries = new ArrayList<>();
        found.forEach((hash, block) -> entries.add("[" + hash + "," + block + "]"));
        return "[" + String.join(",", entries) + "]";
    }

    private static void check(final JsonNode state, final String field, final Object actual)
    {
        if (state.has(field))
        {
            final Object shown = actual instanceof int[] ints ? Arrays.toString(ints) :
                actual instanceof long[] longs ? Arrays.toString(longs) : actual.toString();
            Divergence.check(field, state.get(field).toString().replace(",", ", "), shown);
        }
    }

    private static Object expected(final JsonNode value)
    {
        if (value.isNull())
        {
            return null;
        }
        if (value.isBoolean())
        {
            return value.asBoolean();
        }
        if (value.isInt())
        {
            return value.asInt();
        }
        if (value.has("crc"))
        {
            return value.toString();
        }
        if (value.isObject())
        {
            return List.of(Arrays.stream(ints(value.get("ids"))).boxed().toList(), value.get("parent").asLong());
        }
        return Arrays.stream(longs(value)).boxed().toList();
    }

    static int[] ints(final JsonNode array)
    {
        final int[] values = new int[array.size()];
        Arrays.setAll(values, i -> array.get(i).asInt());
        return values;
    }

    static long[] longs(final JsonNode array)
    {
        final long[] values = new long[array.size()];
        Arrays.setAll(values, i -> array.get(i).asLong());
        return values;
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
