// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import io.signalbox.kv.KvBlockException.Reason;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A call that cannot be carried out is refused in any state, with its fault and the blocks; nothing changes. */
class BadCallPropertyTest
{
    private static final int POOL = 16;

    private interface Call
    {
        void on(KvBlockAllocator allocator);
    }

    @Provide
    Arbitrary<KvBlockConfig> pools()
    {
        return Arbitraries.of(EvictionPolicy.values()).map(policy -> KvBlockConfig.of(POOL).withPrefixCaching(policy));
    }

    @Property
    void aBadCallIsRefusedByNameAndChangesNothing(
        @ForAll("pools") final KvBlockConfig pool,
        @ForAll @Size(max = 40) final List<@IntRange(max = AllocatorRun.MAX_OPERATION) Integer> operations,
        @ForAll @IntRange(max = 25) final int kind,
        @ForAll @IntRange(max = 1000) final int choice)
    {
        final AllocatorRun run = AllocatorRun.of(pool, operations);
        refuse(run, kind, choice);
        run.compare();
    }

    private static void refuse(final AllocatorRun run, final int kind, final int choice)
    {
        final int unknown = choice % 3 == 0 ? -1 - choice : choice % 3 == 1 ? 15 : 16 + choice;
        switch (kind)
        {
            case 0 -> refused(run, Reason.UNKNOWN_BLOCK, unknown, a -> a.release(new int[]{unknown}, 0, 1));
            case 1 -> refused(run, Reason.UNKNOWN_BLOCK, unknown, a -> a.retain(new int[]{unknown}, 0, 1));
            case 2 -> refused(run, Reason.UNKNOWN_BLOCK, unknown, a -> a.touch(new int[]{unknown}, 0, 1));
            case 3 -> refused(run, Reason.UNKNOWN_BLOCK, unknown,
                a -> a.registerBlockHashes(new int[]{unknown}, new long[]{7}, null));
            case 4 -> refused(run, Reason.NEGATIVE_COUNT, null, a -> a.allocate(-1 - choice, new int[4], 0));
            case 5 -> refused(run, Reason.NEGATIVE_COUNT, null, a -> a.evictLru(-1 - choice));
            case 6 -> refused(run, Reason.NEGATIVE_COUNT, null, a -> a.isMemoryAvailable(-1 - choice));
            case 7 -> refused(run, Reason.LENGTH_MISMATCH, null, a -> a.allocate(2, new int[2], 1 + choice));
            case 8 -> refused(run, Reason.LENGTH_MISMATCH, null,
                a -> a.registerBlockHashes(new int[]{1, 2}, new long[]{7}, null));
            case 9 -> refused(run, Reason.ILLEGAL_CLOCK, null, a -> a.clock(-1 - choice));
            case 10 -> refused(run, Reason.ILLEGAL_CLOCK, null, a -> a.clock(1L << 39));
            case 16 -> refused(run, Reason.NEGATIVE_COUNT, null, a -> a.isMemoryAvailable(100, -1 - choice));
            case 17 -> refused(run, Reason.LENGTH_MISMATCH, null,
                a -> a.longestMatch(new long[3 + choice], 0, 3 + choice, new int[2], 0));
            case 18 -> refused(run, Reason.UNKNOWN_BLOCK, choice % 2 == 0 ? -1 - choice : POOL + choice,
                a -> a.refCount(choice % 2 == 0 ? -1 - choice : POOL + choice));
            case 19 -> refused(run, Reason.UNKNOWN_BLOCK, 858_993_460, a -> a.blockHash(858_993_460));
            case 20 -> refused(run, Reason.LENGTH_MISMATCH, null,
                a -> a.freeBlock(a.totalAvailable() + choice));
            default -> refuseOnBlock(run, kind, choice);
        }
    }

    /** Calls that are wrong for the state of a block; does nothing if no block is in that state. */
    private static void refuseOnBlock(final AllocatorRun run, final int kind, final int choice)
    {
        final int[] owned = blocks(run, block -> run.model.owners[block] > 0);
        final int[] free = run.model.free.stream().mapToInt(Integer::intValue).toArray();
        final int[] named = blocks(run, run.model.hashOf::containsKey);
        if (kind == 11 && owned.length > 0)
        {
            final int block = owned[choice % owned.length];
            final int[] once = blocks(run, other -> run.model.owners[other] > 0 && other != block);
            final int[] several = Arrays.copyOf(once, once.length + run.model.owners[block] + 1);
            Arrays.fill(several, once.length, several.length, block);
            refused(run, Reason.OVER_RELEASE, block, a -> a.release(several, 0, several.length));
        }
        else if (kind == 12 && free.length > 0)
        {
            final int block = free[choice % free.length];
            refused(run, Reason.NOT_OWNED, block, a -> a.retain(join(owned, block), 0, owned.length + 1));
        }
        else if (kind == 13 && free.length > 0)
        {
            final int block = free[choice % free.length];
            refused(run, Reason.NOT_OWNED, block, a -> a.registerBlockHashes(new int[]{block}, new long[]{7}, null));
        }
        else if (kind == 14 && named.length > 0)
        {
            final int block = named[choice % named.length];
            refused(run, Reason.OTHER_HASH, block,
                a -> a.registerBlockHashes(new int[]{block}, new long[]{run.model.hashOf.get(block) + 1_000_000}, null));
        }
        else if (kind > 20)
        {
            final int[] nameless =
                blocks(run, block -> run.model.owners[block] > 0 && !run.model.hashOf.containsKey(block));
            if (nameless.length > 0 && kind < 24)
            {
                refuseList(run, kind, nameless);
            }
            else if (nameless.length > 0)
            {
                refuseSingle(run, kind, choice, nameless[choice % nameless.length]);
            }
        }
        else if (kind == 15 && owned.length > 0)
        {
            final int block = owned[choice % owned.length];
            refused(run, Reason.ILLEGAL_HASH, block,
                a -> a.registerBlockHashes(new int[]{block}, new long[]{-(choice % 2)}, null));
        }
    }

    /** The last entry of a list is wrong: those before it must not stay registered. */
    private static void refuseList(final AllocatorRun run, final int kind, final int[] nameless)
    {
        final int count = nameless.length;
        final long[] hashes = new long[count];
        final long[] parents = new long[count];
        for (int i = 0; i < count; i++)
        {
            hashes[i] = 5_000_000 + i;
            parents[i] = i == 0 ? 0 : hashes[i - 1];
        }
        final int last = nameless[count - 1];
        if (kind == 21)
        {
            parents[count - 1] = -1;
            refused(run, Reason.ILLEGAL_HASH, last, a -> a.registerBlockHashes(nameless, hashes, parents));
        }
        else if (kind == 22)
        {
            parents[0] = hashes[count - 1];
            refused(run, Reason.PARENT_AFTER_CHILD, nameless[0], a -> a.registerBlockHashes(nameless, hashes, parents));
        }
        else if (count > 1)
        {
            // Below a cached block if there is one, so that its pin must be undone as well.
            final int[] cached = run.model.cached().stream().mapToInt(Integer::intValue).toArray();
            parents[0] = cached.length == 0 ? 0 : run.model.hashOf.get(cached[cached.length - 1]);
            final int[] twice = nameless.clone();
            twice[count - 1] = nameless[0];
            refused(run, Reason.OTHER_HASH, nameless[0], a -> a.registerBlockHashes(twice, hashes, parents));
        }
    }

    private static void refuseSingle(final AllocatorRun run, final int kind, final int choice, final int block)
    {
        if (kind == 24)
        {
            refused(run, Reason.ILLEGAL_DEPTH, block,
                a -> a.register(block, 5_000_000, 0, choice % 2 == 0 ? -1 - choice : (1 << 24) - 1 + choice));
        }
        else
        {
            refused(run, Reason.ILLEGAL_HASH, block, a -> a.register(block, 5_000_000, -1 - choice, 1));
        }
    }

    private static int[] join(final int[] blocks, final int block)
    {
        final int[] joined = Arrays.copyOf(blocks, blocks.length + 1);
        joined[blocks.length] = block;
        return joined;
    }

    private static int[] blocks(final AllocatorRun run, final java.util.function.IntPredicate wanted)
    {
        return IntStream.range(0, run.allocator.dummyBlock()).filter(wanted).toArray();
    }

    private static void refused(final AllocatorRun run, final Reason reason, final Integer block, final Call call)
    {
        final List<Long> before = state(run.allocator);
        final KvBlockException refused = assertThrows(KvBlockException.class, () -> call.on(run.allocator));
        assertEquals(reason, refused.reason());
        if (block != null)
        {
            assertTrue(Arrays.stream(refused.blockIds()).anyMatch(named -> named == block), "names the block at fault");
            assertTrue(refused.getMessage().contains("block " + block + " "), refused.getMessage());
        }
        assertTrue(refused.getMessage().matches("(?s).+; (give|release|allocate|configure|hash|it runs) .*\\."),
            "says what to do: " + refused.getMessage());
        assertEquals(before, state(run.allocator));
    }

    private static List<Long> state(final KvBlockAllocator allocator)
    {
        final List<Long> state = new ArrayList<>(List.of(
            allocator.poolDigest(), allocator.prefixIndexDigest(), allocator.clock(), (long)allocator.evictableCount()));
        for (int block = 0; block < allocator.config().poolSize(); block++)
        {
            state.add((long)allocator.parent(block));
            state.add((long)allocator.childCount(block));
            state.add(allocator.blockHash(block));
        }
        return state;
    }

    @Property
    void withoutPrefixCachingSharingAndNamingAreRefused(
        @ForAll @Size(max = 40) final List<@IntRange(max = AllocatorRun.MAX_OPERATION) Integer> operations)
    {
        final AllocatorRun run = AllocatorRun.of(KvBlockConfig.of(POOL), operations);
        final int[] any = {1};
        refused(run, Reason.PREFIX_CACHING_OFF, null, a -> a.retain(any, 0, 1));
        refused(run, Reason.PREFIX_CACHING_OFF, null, a -> a.register(1, 7, 0, 0));
        refused(run, Reason.PREFIX_CACHING_OFF, null, a -> a.registerBlockHashes(any, new long[]{7}, null));
        if (run.allocator.totalAvailable() > 0)
        {
            final int free = run.allocator.freeBlock(0);
            refused(run, Reason.OVER_RELEASE, free, a -> a.release(new int[]{free}, 0, 1));
        }
    }
}
