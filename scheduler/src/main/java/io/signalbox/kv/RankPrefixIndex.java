// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import io.signalbox.InvariantViolation;

/**
 * Block hash → the DP ranks that have its block cached: one index over the pools of all ranks, so that a router learns
 * the prefix match of a prompt on every rank from a few look-ups, instead of a few per rank.
 *
 * <p>A block hash is chained over its prefix, and a pool keeps a block longer than those built upon it, so a rank that
 * has a block has the blocks before it. {@link #longestMatches} finds the end of each rank's match by halving and is exact
 * if that holds. It does not hold if a rank evicted a block ahead of a duplicate's successors; then the answer is the
 * end of one of the parts that the rank still has.
 *
 * <p>Grows with the number of different hashes; allocates nothing once it has grown to the load.
 */
public final class RankPrefixIndex
{
    private static final int INITIAL_CAPACITY = 1024;
    /** Positions of a prompt, halved until none is left, with one set of ranks waiting at each halving. */
    private static final int MAX_HALVINGS = Integer.SIZE + 2;

    private final int ranks;
    /** Words of a set of ranks, one bit per rank. */
    private final int words;
    private long[] keys;
    /** By word, then by place, so that no array grows with the number of ranks. */
    private long[][] sets;
    private int mask;
    private int shift;
    private int size;

    private final int[] from = new int[MAX_HALVINGS];
    private final int[] to = new int[MAX_HALVINGS];
    private final long[] waiting;
    private final long[] current;

    public RankPrefixIndex(final int ranks)
    {
        this.ranks = ranks;
        words = (ranks + Long.SIZE - 1) / Long.SIZE;
        waiting = new long[MAX_HALVINGS * words];
        current = new long[words];
        allocate(INITIAL_CAPACITY);
    }

    /**
     * Bytes of the table once it has held so many different hashes; a collector that gives each large array separate
     * regions, such as G1, needs up to one region more for each word of a set of ranks.
     */
    public static long tableBytes(final int ranks, final long hashes)
    {
        final long capacity = Math.max(INITIAL_CAPACITY, 2 * Long.highestOneBit(Math.max(1, 2 * hashes - 1)));
        return capacity * Long.BYTES * (1 + (ranks + Long.SIZE - 1) / Long.SIZE);
    }

    private void allocate(final int capacity)
    {
        keys = new long[capacity];
        sets = new long[words][capacity];
        mask = capacity - 1;
        shift = Long.SIZE - Integer.numberOfTrailingZeros(capacity);
    }

    /** Hashes that some rank has. */
    public int size()
    {
        return size;
    }

    /** Records that the rank has a block under the hash; hashes are positive. */
    public void add(final long hash, final int rank)
    {
        if (2 * (size + 1) > keys.length)
        {
            grow();
        }
        int place = home(hash);
        while (keys[place] != KvBlockAllocator.NO_HASH && keys[place] != hash)
        {
            place = place + 1 & mask;
        }
        if (keys[place] == KvBlockAllocator.NO_HASH)
        {
            keys[place] = hash;
            size++;
        }
        sets[rank >>> 6][place] |= 1L << rank;
    }

    /** Records that the rank no longer has a block under the hash. */
    public void remove(final long hash, final int rank)
    {
        final int place = place(hash);
        if (place < 0 || (sets[rank >>> 6][place] & 1L << rank) == 0)
        {
            throw new InvariantViolation("rank " + rank + " gives up block hash " + hash + ", which it does not have");
        }
        sets[rank >>> 6][place] &= ~(1L << rank);
        if (isEmpty(place))
        {
            size--;
            closeGap(place);
        }
    }

    private void grow()
    {
        final long[] formerKeys = keys;
        final long[][] formerSets = sets;
        allocate(Math.multiplyExact(2, keys.length));
        for (int place = 0; place < formerKeys.length; place++)
        {
            if (formerKeys[place] != KvBlockAllocator.NO_HASH)
            {
                addSet(formerKeys[place], formerSets, place);
            }
        }
    }

    private void addSet(final long hash, final long[][] formerSets, final int formerPlace)
    {
        int place = home(hash);
        while (keys[place] != KvBlockAllocator.NO_HASH)
        {
            place = place + 1 & mask;
        }
        for (int word = 0; word < words; word++)
        {
            sets[word][place] = formerSets[word][formerPlace];
        }
        keys[place] = hash;
    }

    public boolean contains(final long hash, final int rank)
    {
        final int place = place(hash);
        return place >= 0 && (sets[rank >>> 6][place] & 1L << rank) != 0;
    }

    /**
     * The number of leading blocks of a prompt that each rank has.
     *
     * @param count         blocks of the prompt that a match may use.
     * @param matchedBlocks per rank.
     */
    public void longestMatches(final long[] hashes, final int count, final int[] matchedBlocks)
    {
        for (int word = 0; word < words; word++)
        {
            waiting[word] = word < words - 1 || ranks % Long.SIZE == 0 ? -1L : (1L << ranks) - 1;
        }
        from[0] = 0;
        to[0] = count;
        int depth = 1;
        while (depth > 0)
        {
            depth = settleOrHalve(hashes, count, matchedBlocks, depth - 1);
        }
    }

    /**
     * Looks at the uppermost waiting set of ranks, whose matches end somewhere from {@code from} to {@code to}.
     *
     * @return sets that wait now.
     */
    private int settleOrHalve(final long[] hashes, final int count, final int[] matchedBlocks, final int top)
    {
        final int low = from[top];
        final int high = to[top];
        if (low == high)
        {
            settle(top, low, matchedBlocks);
            return top;
        }
        final int middle = firstGuess(low, high, count);
        final int place = place(hashes[middle - 1]);
        boolean some = false;
        boolean others = false;
        for (int word = 0; word < words; word++)
        {
            final long set = waiting[top * words + word];
            current[word] = place < 0 ? 0 : set & sets[word][place];
            some |= current[word] != 0;
            others |= current[word] != set;
        }
        if (!some || !others)
        {
            from[top] = some ? middle : low;
            to[top] = some ? high : middle - 1;
            return top + 1;
        }
        for (int word = 0; word < words; word++)
        {
            waiting[top * words + word] &= ~current[word];
            waiting[(top + 1) * words + word] = current[word];
        }
        to[top] = middle - 1;
        from[top + 1] = middle;
        to[top + 1] = high;
        return top + 2;
    }

    /** The middle, but at first the first block: a prompt that is new to all ranks costs one look-up. */
    static int firstGuess(final int low, final int high, final int count)
    {
        return low == 0 && high == count ? 1 : low + high + 1 >>> 1;
    }

    private void settle(final int top, final int match, final int[] matchedBlocks)
    {
        for (int word = 0; word < words; word++)
        {
            for (long set = waiting[top * words + word]; set != 0; set &= set - 1)
            {
                matchedBlocks[(word << 6) + Long.numberOfTrailingZeros(set)] = match;
            }
        }
    }

    private int place(final long hash)
    {
        int place = home(hash);
        while (keys[place] != hash)
        {
            if (keys[place] == KvBlockAllocator.NO_HASH)
            {
                return -1;
            }
            place = place + 1 & mask;
        }
        return place;
    }

    private boolean isEmpty(final int place)
    {
        long any = 0;
        for (int word = 0; word < words; word++)
        {
            any |= sets[word][place];
        }
        return any == 0;
    }

    /** Moves later entries of the probe run back, so that look-ups need no tombstones. */
    private void closeGap(final int removed)
    {
        int gap = removed;
        int place = gap + 1 & mask;
        while (keys[place] != KvBlockAllocator.NO_HASH)
        {
            if ((place - home(keys[place]) & mask) >= (place - gap & mask))
            {
                keys[gap] = keys[place];
                move(place, gap);
                gap = place;
            }
            place = place + 1 & mask;
        }
        keys[gap] = KvBlockAllocator.NO_HASH;
        for (final long[] set : sets)
        {
            set[gap] = 0;
        }
    }

    private void move(final int place, final int gap)
    {
        for (final long[] set : sets)
        {
            set[gap] = set[place];
        }
    }

    private int home(final long hash)
    {
        return (int)(PrefixIndex.spread(hash) >>> shift);
    }
}
