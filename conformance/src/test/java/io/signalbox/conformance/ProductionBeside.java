// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance;

import io.signalbox.conformance.megatron.ContractKvBlocks;
import io.signalbox.conformance.megatron.KvBlockPool;
import io.signalbox.conformance.megatron.MegatronKvBlocks;
import io.signalbox.kv.KvBlockAllocator;
import io.signalbox.kv.KvBlockConfig;
import io.signalbox.kv.KvBlockException;
import io.signalbox.kv.RequestBlockTable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The engine's own allocator beside a recorded one: it gets the same calls, must return the same and have the same state,
 * until one of the points at which the two part. Differences while they are together, because the original is wrong:
 *
 * <ul>
 * <li>A cached block that an owned one builds upon is not evictable here. There it counts, and an eviction that needs
 * it fails; here nothing is evicted.
 * <li>A match ends here at the first block that is not known or not built upon the one before it. There all blocks
 * before the last known one are taken, or the match fails.
 * </ul>
 */
final class ProductionBeside
{
    static final String TWO_BLOCKS = "two blocks claim one hash";
    static final String PARENT_AFTER_CHILD = "a parent comes after its child";
    static final String FREE_BLOCK = "a free block gets an owner or a hash";
    static final String CLOCK = "the clock runs back";

    private final MegatronKvBlocks recorded;
    private final KvBlockPool pool;
    private final List<List<?>> notices = new ArrayList<>();
    private final int blocks;
    /** Of each hash, by the registrations so far, the place in its prefix; none if its parent was not known. */
    private final Map<Long, Integer> places = new TreeMap<>();
    private final Map<Long, Long> parents = new TreeMap<>();
    private final TreeSet<Long> knownBefore = new TreeSet<>();
    private long clock;
    private String next;
    private String parted;
    private int compared;

    ProductionBeside(final KvBlockConfig config, final MegatronKvBlocks recorded, final RequestBlockTable requests)
    {
        this(new ContractKvBlocks(config, null), config, recorded, requests);
    }

    /** @param pool beside the recorded one. */
    ProductionBeside(
        final KvBlockPool pool,
        final KvBlockConfig config,
        final MegatronKvBlocks recorded,
        final RequestBlockTable requests)
    {
        this.recorded = recorded;
        this.pool = pool;
        blocks = config.poolSize();
        PoolCalls.noteDeregistered(pool, notices);
        pool.requestBlocks(requests);
    }

    /** Records that both allocators agreed on. */
    int compared()
    {
        return compared;
    }

    /** Why the two have parted, or null. */
    String parted()
    {
        return parted;
    }

    /** Before a call: whether the two part if it succeeds. */
    void lookAhead(final TraceRecord record)
    {
        final TraceRecord args = record.record("args");
        knownBefore.clear();
        for (int block = 0; block < blocks; block++)
        {
            knownBefore.add(recorded.blockHash(block));
        }
        next = switch (record.text("op"))
        {
            case "register" -> registration(args);
            case "pin", "retain" -> isAnyFree(args.integers("ids")) ? FREE_BLOCK : null;
            case "clock" -> args.number("value") < clock && !(args.number("value") == 0 && recorded.totalUsed() == 0) ?
                CLOCK : null;
            default -> null;
        };
    }

    private String registration(final TraceRecord args)
    {
        final int[] ids = args.integers("ids");
        final long[] hashes = args.longs("hashes");
        final long[] parentHashes = PoolCalls.parents(args);
        final Map<Long, Integer> claimed = new TreeMap<>();
        String parting = isAnyFree(ids) ? FREE_BLOCK : null;
        for (int i = 0; i < Math.min(ids.length, hashes.length); i++)
        {
            final int known = claimed.getOrDefault(hashes[i], recorded.find(hashes[i]));
            parting = known != KvBlockAllocator.NO_BLOCK && known != ids[i] ? TWO_BLOCKS : parting;
            claimed.put(hashes[i], ids[i]);
            for (int j = 0; parentHashes != null && j <= i && j < parentHashes.length; j++)
            {
                parting = parentHashes[j] == hashes[i] && recorded.find(hashes[i]) == KvBlockAllocator.NO_BLOCK ?
                    PARENT_AFTER_CHILD : parting;
            }
        }
        return parting;
    }

    private boolean isAnyFree(final int[] ids)
    {
        boolean free = false;
        for (final int id : ids)
        {
            free |= recorded.refCount(id) == 0 && recorded.blockHash(id) == KvBlockAllocator.NO_HASH;
        }
        return free;
    }

    /** After a call that the recorded allocator has carried out, and that was compared with the record. */
    void follow(
        final TraceRecord record,
        final String recordedError,
        final Object recordedReturn,
        final List<List<?>> recordedNotices)
    {
        if (recordedError == null && next != null && parted == null)
        {
            parted = next;
        }
        if (parted != null)
        {
            return;
        }
        notices.clear();
        final String operation = record.text("op");
        if (PoolCalls.isKnown(operation))
        {
            compareCall(operation, record.record("args"), recordedError, recordedReturn);
        }
        Divergence.check("beside, notices", recordedNotices, notices);
        compareState();
        compared++;
    }

    private void compareCall(
        final String operation, final TraceRecord args, final String recordedError, final Object recordedReturn)
    {
        Object returned = null;
        boolean refused = false;
        try
        {
            returned = PoolCalls.call(pool, operation, args);
        }
        catch (final KvBlockException e)
        {
            refused = true;
        }
        switch (operation)
        {
            case "match" -> compareMatch(args, (Map<?, ?>)recordedReturn, (Map<?, ?>)returned);
            case "available" -> check(recordedReturn.equals(returned) || hasCachedParent() && Boolean.FALSE.equals(returned),
                "beside, available: " + returned);
            case "alloc", "evict" -> check(!refused && recordedError == null ? same(recordedReturn, returned) :
                recordedError != null && hasCachedParent() && (returned == null || Boolean.FALSE.equals(returned)),
                "beside, " + operation + ": " + returned);
            default ->
            {
                Divergence.check("beside, refused", recordedError != null, refused);
                Divergence.check("beside, returned", recordedReturn, returned);
            }
        }
        if (recordedError == null)
        {
            note(operation, args);
        }
    }

    private static boolean same(final Object recorded, final Object here)
    {
        return recorded == null ? here == null : recorded.equals(here);
    }

    private void note(final String operation, final TraceRecord args)
    {
        switch (operation)
        {
            case "clock" -> clock = args.number("value");
            case "reset" ->
            {
                places.clear();
                parents.clear();
            }
            case "register" ->
            {
                final long[] hashes = args.longs("hashes");
                final long[] parentHashes = PoolCalls.parents(args);
                for (int i = 0; i < hashes.length; i++)
                {
                    note(hashes[i], parentHashes == null ? KvBlockAllocator.NO_HASH : parentHashes[i]);
                }
            }
            default ->
            {
            }
        }
    }

    private void note(final long hash, final long parent)
    {
        if (knownBefore.add(hash))
        {
            final boolean isKnown = parent == KvBlockAllocator.NO_HASH ||
                places.containsKey(parent) && recorded.find(parent) != KvBlockAllocator.NO_BLOCK;
            places.put(hash, !isKnown ? blocks : parent == KvBlockAllocator.NO_HASH ? 0 : places.get(parent) + 1);
            parents.put(hash, parent);
        }
    }

    /** The blocks of the match here are the first of those there, and all of them if they build upon each other. */
    private void compareMatch(final TraceRecord args, final Map<?, ?> there, final Map<?, ?> here)
    {
        if (there == null)
        {
            return;
        }
        final List<?> expected = (List<?>)there.get("ids");
        final List<?> found = (List<?>)here.get("ids");
        check(found.size() <= expected.size() && expected.subList(0, found.size()).equals(found),
            "beside, match: " + found + " is not the beginning of " + expected);
        final long[] hashes = args.longs("hashes");
        final int start = args.integer("start");
        boolean chained = true;
        for (int i = start; i < start + expected.size(); i++)
        {
            chained &= places.getOrDefault(hashes[i], blocks) == i &&
                parents.get(hashes[i]) == (i == 0 ? KvBlockAllocator.NO_HASH : hashes[i - 1]) &&
                (i == 0 || recorded.find(hashes[i - 1]) != KvBlockAllocator.NO_BLOCK);
        }
        check(!chained || found.size() == expected.size(), "beside, match: " + found + " is shorter than " + expected);
    }

    /** Whether a cached block has an owned one among those that build upon it. */
    boolean hasCachedParent()
    {
        boolean found = false;
        for (int block = 0; block < blocks; block++)
        {
            for (int parent = recorded.parent(block); recorded.refCount(block) > 0 && parent != KvBlockAllocator.NO_BLOCK;
                parent = recorded.parent(parent))
            {
                found |= recorded.refCount(parent) == 0;
            }
        }
        return found;
    }

    private void compareState()
    {
        final TreeSet<String> different = new TreeSet<>();
        note(different, "avail", recorded.totalAvailable(), pool.totalAvailable());
        note(different, "owned", recorded.owned(), pool.owned());
        note(different, "active_used", recorded.activeUsed(), pool.activeUsed());
        note(different, "paused_used", recorded.pausedUsed(), pool.pausedUsed());
        note(different, "active_avail", recorded.activeAvailable(), pool.activeAvailable());
        note(different, "paused_avail", recorded.pausedAvailable(), pool.pausedAvailable());
        note(different, "hash_count", recorded.hashCount(), pool.hashCount());
        final boolean fewer = hasCachedParent();
        note(different, "evictable", true, pool.evictableCount() == recorded.evictableCount() ||
            fewer && pool.evictableCount() < recorded.evictableCount());
        note(different, "allocatable", true, pool.allocatableCount() == recorded.allocatableCount() ||
            fewer && pool.allocatableCount() < recorded.allocatableCount());
        for (int height = 0; height < recorded.totalAvailable() && different.isEmpty(); height++)
        {
            note(different, "free block " + height, recorded.freeBlock(height), pool.freeBlock(height));
        }
        for (int block = 0; block < blocks; block++)
        {
            final String name = " of block " + block;
            note(different, "references" + name, recorded.refCount(block), pool.refCount(block));
            note(different, "hash" + name, recorded.blockHash(block), pool.blockHash(block));
            note(different, "last use" + name, recorded.timestamp(block), pool.timestamp(block));
            note(different, "parent" + name, recorded.parent(block), pool.parent(block));
            note(different, "children" + name, recorded.childCount(block), pool.childCount(block));
            final long hash = recorded.blockHash(block);
            note(different, "block" + name + "'s hash", recorded.find(hash), pool.find(hash));
        }
        check(different.isEmpty(), "beside, " + different);
    }

    private static void note(
        final TreeSet<String> different, final String name, final Object recorded, final Object production)
    {
        if (!recorded.equals(production))
        {
            different.add(name + " " + production + " instead of " + recorded);
        }
    }

    private static void check(final boolean holds, final String difference)
    {
        if (!holds)
        {
            throw new Divergence(difference);
        }
    }
}
