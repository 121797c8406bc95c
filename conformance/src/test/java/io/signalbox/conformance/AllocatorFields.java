// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance;

import io.signalbox.conformance.megatron.AllocatorProfile;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import static java.util.Map.entry;

/**
 * The fields that the records of one allocator trace have, no more and no fewer: what is recorded beyond them would not
 * be compared, and what is missing would not be either.
 */
final class AllocatorFields
{
    /** Pools of up to so many blocks are recorded in full after every operation. */
    private static final int ALWAYS_FULL_BLOCKS = 24;
    private static final Set<String> RECORD = Set.of("t", "i", "op", "args", "ret", "state");
    private static final Set<String> WHERE_THEY_APPLY = Set.of("err", "dereg");
    private static final Set<String> INIT = Set.of("pool_size", "paused_limit", "prefix_caching", "policy", "block_size",
        "layers", "topk", "experts", "dtype");
    private static final Map<String, Set<String>> ARGS = Map.ofEntries(
        entry("alloc", Set.of("n")),
        entry("release", Set.of("ids")),
        entry("register", Set.of("ids", "hashes")),
        entry("pin", Set.of("ids")),
        entry("retain", Set.of("ids")),
        entry("touch", Set.of("ids")),
        entry("clock", Set.of("value")),
        entry("evict", Set.of("n")),
        entry("available", Set.of("n")),
        entry("lookup", Set.of("hash")),
        entry("match", Set.of("hashes", "start", "end")),
        entry("block_hashes", Set.of("tokens", "block_size")),
        entry("store_step", Set.of("blocks", "positions", "rows", "seed")),
        entry("store_block", Set.of("block", "positions", "seed")),
        entry("get_routing", Set.of("block")),
        entry("reconstruct", Set.of("ids", "total")),
        entry("requests", Set.of("rows", "paused")),
        entry("reset", Set.of()));

    private final boolean august;
    private final boolean prefixCaching;
    private final boolean lru;
    private final boolean alwaysFull;

    private AllocatorFields(final AllocatorProfile profile, final TraceRecord init)
    {
        august = profile == AllocatorProfile.MEGATRON_2026_08;
        prefixCaching = init.flag("prefix_caching");
        lru = init.text("policy").equals("lru");
        alwaysFull = init.integer("pool_size") <= ALWAYS_FULL_BLOCKS;
    }

    /** Of the trace that begins with this {@code init} record. */
    static AllocatorFields of(final AllocatorProfile profile, final TraceRecord record)
    {
        record.only("the record", RECORD);
        final TraceRecord init = record.record("args");
        init.only("args", INIT);
        return new AllocatorFields(profile, init);
    }

    /** Refuses an operation that is not known, and fields of it. */
    void check(final TraceRecord record)
    {
        record.only("the record", RECORD, WHERE_THEY_APPLY);
        final String operation = record.text("op");
        if (!ARGS.containsKey(operation))
        {
            throw new Divergence("operation \"" + operation + "\" is not known");
        }
        record.record("args").only("args", args(operation));
    }

    private Set<String> args(final String operation)
    {
        final Set<String> args = new TreeSet<>(ARGS.get(operation));
        if (august && operation.equals("register"))
        {
            args.add("parents");
        }
        if (august && operation.equals("available"))
        {
            args.add("matched");
        }
        return args;
    }

    void checkState(final TraceRecord state)
    {
        final Set<String> always = new TreeSet<>(
            Set.of("avail", "total_used", "active_used", "paused_used", "routing_count"));
        always.addAll(august ? Set.of("allocatable") : Set.of("active_avail", "paused_avail"));
        if (prefixCaching)
        {
            always.addAll(Set.of("evictable", "hash_count"));
        }
        final Set<String> full = fullForm();
        if (alwaysFull || full.stream().anyMatch(state::has))
        {
            always.addAll(full);
        }
        state.only("state", always);
    }

    private Set<String> fullForm()
    {
        final Set<String> full = new TreeSet<>(Set.of("free", "routing"));
        if (prefixCaching)
        {
            full.addAll(Set.of("refs", "hashes", "map"));
        }
        if (prefixCaching && lru)
        {
            full.add("ts");
        }
        if (prefixCaching && lru && august)
        {
            full.addAll(Set.of("parent", "children"));
        }
        return full;
    }
}
