// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance;

import io.signalbox.conformance.megatron.KvBlockPool;
import io.signalbox.kv.KvBlockAllocator;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The recorded operations on a pool of KV blocks, carried out on one. */
final class PoolCalls
{
    private static final Set<String> OPERATIONS = Set.of("alloc", "release", "register", "pin", "retain", "touch", "clock",
        "evict", "available", "reset", "lookup", "match");

    private PoolCalls()
    {
    }

    static boolean isKnown(final String operation)
    {
        return OPERATIONS.contains(operation);
    }

    static Object call(final KvBlockPool pool, final String operation, final TraceRecord args)
    {
        switch (operation)
        {
            case "alloc":
                return allocate(pool, args.integer("n"));
            case "release":
                final int[] released = args.integers("ids");
                pool.release(released, 0, released.length);
                return null;
            case "register":
                pool.registerBlockHashes(args.integers("ids"), args.longs("hashes"), parents(args));
                return null;
            case "pin", "retain":
                final int[] retained = args.integers("ids");
                pool.retain(retained, 0, retained.length);
                return null;
            case "touch":
                final int[] touched = args.integers("ids");
                pool.touch(touched, 0, touched.length);
                return null;
            case "clock":
                pool.clock(args.number("value"));
                return null;
            case "reset":
                pool.reset();
                return null;
            default:
                return query(pool, operation, args);
        }
    }

    private static Object query(final KvBlockPool pool, final String operation, final TraceRecord args)
    {
        switch (operation)
        {
            case "evict":
                return pool.evictLru(args.integer("n"));
            case "available":
                return pool.isMemoryAvailable(args.integer("n"), args.has("matched") ? args.integer("matched") : 0);
            case "lookup":
                final int block = pool.find(args.number("hash"));
                return block == KvBlockAllocator.NO_BLOCK ? null : (Object)(long)block;
            case "match":
                return match(pool, args.longs("hashes"), args.integer("start"), args.integer("end"));
            default:
                throw new Divergence("operation \"" + operation + "\" is not known");
        }
    }

    /** Null if the record has none, or none is given. */
    static long[] parents(final TraceRecord args)
    {
        return args.has("parents") && args.get("parents") != null ? args.longs("parents") : null;
    }

    private static List<Long> allocate(final KvBlockPool pool, final int count)
    {
        final int[] blocks = new int[count];
        return pool.allocate(count, blocks, 0) ? longs(blocks) : null;
    }

    /** The parent is the hash that the match ends with, or 0 if it starts anew. */
    private static Map<String, Object> match(
        final KvBlockPool pool, final long[] hashes, final int start, final int end)
    {
        final int[] blocks = new int[hashes.length];
        final int matched = pool.longestMatch(hashes, start, end, blocks, 0);
        final int last = Math.min(start + matched, hashes.length) - 1;
        final long parent = last < 0 ? 0 : hashes[last];
        final Map<String, Object> match = new LinkedHashMap<>();
        match.put("ids", longs(Arrays.copyOf(blocks, matched)));
        match.put("parent", parent);
        return match;
    }

    /** Adds each notice of the pool to the list: the blocks in their order, and their hashes. */
    static void noteDeregistered(final KvBlockPool pool, final List<List<?>> notices)
    {
        pool.addDeregistrationObserver((blockIds, hashes, count) ->
        {
            final TreeSet<Long> known = new TreeSet<>();
            Arrays.stream(hashes, 0, count).filter(hash -> hash != KvBlockAllocator.NO_HASH).forEach(known::add);
            notices.add(List.of(longs(Arrays.copyOf(blockIds, count)), List.copyOf(known)));
        });
    }

    static List<Long> longs(final int[] values)
    {
        return Arrays.stream(values).mapToObj(Long::valueOf).toList();
    }
}
