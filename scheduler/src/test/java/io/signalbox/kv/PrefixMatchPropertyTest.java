// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

/** Prefixes long enough that the match is found by halving and by following links, against the definition. */
class PrefixMatchPropertyTest
{
    private static final int POOL = 1200;

    /** Families of prompts share their first blocks; released ones are partly evicted, so that some end early. */
    @Property
    void aLongMatchIsWhatTheDefinitionSays(
        @ForAll @Size(min = 1, max = 6) final List<@IntRange(max = 1_000_000) Integer> prompts,
        @ForAll @IntRange(max = 400) final int evicted,
        @ForAll @IntRange(max = 1_000_000) final int asked,
        @ForAll @IntRange(max = 5) final int change,
        @ForAll @IntRange(max = 400) final int place)
    {
        final KvBlockAllocator allocator =
            new KvBlockAllocator(KvBlockConfig.of(POOL).withPrefixCaching(EvictionPolicy.LRU));
        prompts.forEach(prompt -> compute(allocator, hashes(prompt)));
        allocator.evictLru(Math.min(evicted, allocator.evictableCount()));
        final long[] hashes = changed(hashes(asked), change, place);
        final int start = change == 5 ? place % hashes.length : 0;
        final int[] expected = new int[hashes.length];
        final int[] actual = new int[hashes.length];
        final int count = definition(allocator, hashes, start, expected);
        assertEquals(count, allocator.longestMatch(hashes, start, hashes.length, actual, 0));
        assertArrayEquals(Arrays.copyOf(expected, count), Arrays.copyOf(actual, count));
    }

    /** An engine of one rank has no index over its ranks; its decisions must be those that it would have with one. */
    @Property
    void onePoolAnswersAsAnIndexOverItDoes(
        @ForAll @Size(min = 1, max = 6) final List<@IntRange(max = 1_000_000) Integer> prompts,
        @ForAll @IntRange(max = 400) final int evicted,
        @ForAll @IntRange(max = 1_000_000) final int asked,
        @ForAll @IntRange(max = 5) final int change,
        @ForAll @IntRange(max = 400) final int place)
    {
        final KvBlockAllocator allocator =
            new KvBlockAllocator(KvBlockConfig.of(POOL).withPrefixCaching(EvictionPolicy.LRU));
        prompts.forEach(prompt -> compute(allocator, hashes(prompt)));
        allocator.evictLru(Math.min(evicted, allocator.evictableCount()));
        final RankPrefixIndex index = new RankPrefixIndex(1);
        for (int block = 0; block < allocator.dummyBlock(); block++)
        {
            if (allocator.blockHash(block) != KvBlockAllocator.NO_HASH)
            {
                index.add(allocator.blockHash(block), 0);
            }
        }
        final long[] hashes = changed(hashes(asked), change, place);
        final int[] matched = new int[1];
        for (int count = 0; count <= hashes.length; count += 1 + count / 3)
        {
            index.longestMatches(hashes, count, matched);
            assertEquals(matched[0], allocator.cachedPrefix(hashes, count));
        }
    }

    private static long[] hashes(final int prompt)
    {
        final long[] hashes = new long[1 + prompt % 397];
        final int diverges = prompt / 397 % 400;
        final int family = prompt / 160_000;
        for (int i = 0; i < hashes.length; i++)
        {
            hashes[i] = 1 + i + (i < diverges ? 0 : 1000L * (1 + family));
        }
        return hashes;
    }

    private static void compute(final KvBlockAllocator allocator, final long[] hashes)
    {
        final int[] table = new int[hashes.length];
        final int matched = allocator.longestMatch(hashes, 0, hashes.length, table, 0);
        allocator.tick();
        allocator.retain(table, 0, matched);
        if (allocator.allocate(hashes.length - matched, table, matched))
        {
            for (int i = matched; i < hashes.length; i++)
            {
                // Some blocks are not linked to the previous one; they are still found at their place.
                final boolean isLinked = i > 0 && (i + hashes.length) % 61 != 0;
                allocator.register(table[i], hashes[i], isLinked ? hashes[i - 1] : KvBlockAllocator.NO_HASH, i);
            }
            allocator.release(table, 0, hashes.length);
        }
        else
        {
            allocator.release(table, 0, matched);
        }
    }

    /** Hashes that no prompt has in this order. */
    private static long[] changed(final long[] hashes, final int change, final int where)
    {
        final int place = where % hashes.length;
        switch (change)
        {
            case 1 -> hashes[place] = 999_999;
            case 2 -> hashes[place] = hashes[0];
            case 3 -> hashes[place] += 1000;
            case 4 -> Arrays.fill(hashes, place, hashes.length, hashes[place]);
            default ->
            {
            }
        }
        return hashes;
    }

    private static int definition(
        final KvBlockAllocator allocator, final long[] hashes, final int start, final int[] blocks)
    {
        int previous = start == 0 ? KvBlockAllocator.NO_BLOCK : allocator.find(hashes[start - 1]);
        for (int i = start; i < hashes.length; i++)
        {
            final int block = allocator.find(hashes[i]);
            final boolean follows = block != KvBlockAllocator.NO_BLOCK && allocator.depth(block) == i &&
                (allocator.parent(block) == previous || allocator.parent(block) == KvBlockAllocator.NO_BLOCK);
            if (!follows)
            {
                return i - start;
            }
            blocks[i - start] = block;
            previous = block;
        }
        return hashes.length - start;
    }
}
