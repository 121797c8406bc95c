// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.StateDigest;
import io.signalbox.kv.KvBlockAllocator;
import org.agrona.collections.Long2LongHashMap;

import java.util.Arrays;

/**
 * The tokens of the registered blocks of one rank, to find the block whose first tokens a request can copy. Blocks of one
 * prefix with the same first token are in one list, the newest first. The map serves only look-ups by key.
 */
final class CopySources
{
    private static final int NONE = KvBlockAllocator.NO_BLOCK;
    /** Bounds the search, because any number of requests may continue one prefix. */
    private static final int MOST_COMPARED = 16;

    private final int blockTokens;
    private final int[] tokens;
    /** Tokens per block; 0: the block is no source. */
    private final int[] counts;
    private final long[] prefixes;
    private final int[] older;
    private final int[] newer;
    private final Long2LongHashMap newest = new Long2LongHashMap(NONE);
    private long digest;
    private int foundTokens;

    CopySources(final int blocks, final int blockTokens)
    {
        this.blockTokens = blockTokens;
        tokens = new int[Math.multiplyExact(blocks, blockTokens)];
        counts = new int[blocks];
        prefixes = new long[blocks];
        older = new int[blocks];
        newer = new int[blocks];
    }

    /** The block, no source yet, continues a prefix by {@code count} tokens, which are known from {@code from} on. */
    void add(final int block, final long prefix, final KnownTokens known, final int from, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            tokens[block * blockTokens + i] = known.get(from + i);
        }
        counts[block] = count;
        prefixes[block] = prefix;
        digest += term(block);
        final long key = key(prefix, known.get(from));
        final int head = (int)newest.put(key, block);
        older[block] = head;
        newer[block] = NONE;
        if (head != NONE)
        {
            newer[head] = block;
        }
    }

    /** The block has lost its hash; without effect if it is no source. */
    void remove(final int block)
    {
        if (counts[block] == 0)
        {
            return;
        }
        digest -= term(block);
        counts[block] = 0;
        if (older[block] != NONE)
        {
            newer[older[block]] = newer[block];
        }
        if (newer[block] != NONE)
        {
            older[newer[block]] = older[block];
        }
        else if (older[block] == NONE)
        {
            newest.remove(key(prefixes[block], tokens[block * blockTokens]));
        }
        else
        {
            newest.put(key(prefixes[block], tokens[block * blockTokens]), older[block]);
        }
    }

    void clear()
    {
        Arrays.fill(counts, 0);
        newest.clear();
        digest = 0;
    }

    /**
     * The block with the most tokens in common, the newest of several; {@link KvBlockAllocator#NO_BLOCK} if there is none.
     *
     * @param from position of the first token behind the prefix.
     * @param most tokens to have in common, at least 1.
     */
    int find(final long prefix, final KnownTokens known, final int from, final int most)
    {
        int best = NONE;
        foundTokens = 0;
        int block = (int)newest.get(key(prefix, known.get(from)));
        for (int i = 0; block != NONE && i < MOST_COMPARED && foundTokens < most; i++)
        {
            final int common = prefixes[block] == prefix ? common(block, known, from, Math.min(most, counts[block])) : 0;
            if (common > foundTokens)
            {
                best = block;
                foundTokens = common;
            }
            block = older[block];
        }
        return best;
    }

    /** Tokens in common with the block that was found last. */
    int foundTokens()
    {
        return foundTokens;
    }

    private int common(final int block, final KnownTokens known, final int from, final int most)
    {
        int count = 0;
        while (count < most && tokens[block * blockTokens + count] == known.get(from + count))
        {
            count++;
        }
        return count;
    }

    private static long key(final long prefix, final int firstToken)
    {
        return StateDigest.mix(prefix, firstToken);
    }

    /** Sum over all sources. */
    long digest()
    {
        return digest;
    }

    private long term(final int block)
    {
        return StateDigest.mix(prefixes[block], block, counts[block]);
    }
}
