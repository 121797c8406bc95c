// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

/**
 * What is known of every KV block of a pool: five words side by side, so that a block costs one cache line, or two where
 * it lies across them, however large the pool is.
 *
 * <pre>
 *   word  63                    32 31                      0
 *      0 |                  block hash                      |
 *      1 |            timestamp (40)         |  depth (24)  |
 *      2 |          issue          |    owners              |
 *      3 |  place in eviction heap |    parent block        |
 *      4 |     pinned children     |    children            |
 * </pre>
 *
 * The digest over owners, issues and timestamps is kept up to date by every mutation. It is a sum of each value times
 * a weight of its block, so that a change costs one multiplication.
 */
final class BlockRecords
{
    static final int NO_BLOCK = -1;
    /** Place in the eviction heap of a block that is not cached. */
    static final int NOT_CACHED = -1;
    /** Place of a cached block that others build upon, so that it is not in the heap. */
    static final int INNER = -2;
    /** Bits that hold any block id, and any depth of a block in its prefix. */
    static final int BLOCK_BITS = 24;
    static final int BLOCK_MASK = (1 << BLOCK_BITS) - 1;
    /** The place of a block in its prefix where nobody said it; no prefix has that many blocks. */
    static final int UNKNOWN_DEPTH = BLOCK_MASK;
    static final long MAX_TIMESTAMP = (1L << 39) - 1;

    private static final int WORDS = 5;
    private static final int HASH = 0;
    private static final int TIME = 1;
    private static final int USE = 2;
    private static final int LINK = 3;
    private static final int CHILDREN = 4;
    private static final long TIME_MASK = -(1L << BLOCK_BITS);
    private static final long LOW = 0xFFFF_FFFFL;
    private static final long ONE_HIGH = 1L << Integer.SIZE;
    private static final long NO_LINKS = -1L;

    private final long[] words;
    private final int count;
    private long digest;

    BlockRecords(final int count)
    {
        this.count = count;
        words = new long[count * WORDS];
        reset();
    }

    /** Every block free and unknown; issues go on. */
    void reset()
    {
        for (int block = 0; block < count; block++)
        {
            words[block * WORDS + USE] &= ~LOW;
            forget(block);
            words[block * WORDS + TIME] = 0;
        }
        digest = recomputeDigest();
    }

    int count()
    {
        return count;
    }

    long hash(final int block)
    {
        return words[block * WORDS + HASH];
    }

    int depth(final int block)
    {
        return (int)words[block * WORDS + TIME] & BLOCK_MASK;
    }

    void name(final int block, final long hash, final int depth)
    {
        words[block * WORDS + HASH] = hash;
        words[block * WORDS + TIME] = words[block * WORDS + TIME] & TIME_MASK | depth & BLOCK_MASK;
    }

    /** Drops hash and links. */
    void forget(final int block)
    {
        words[block * WORDS + HASH] = KvBlockAllocator.NO_HASH;
        words[block * WORDS + LINK] = NO_LINKS;
        words[block * WORDS + CHILDREN] = 0;
    }

    long timestamp(final int block)
    {
        return words[block * WORDS + TIME] >>> BLOCK_BITS;
    }

    void timestamp(final int block, final long timestamp)
    {
        final int word = block * WORDS + TIME;
        final long former = words[word];
        digest += timestampWeight(weight(block)) * (timestamp - (former >>> BLOCK_BITS));
        words[word] = timestamp << BLOCK_BITS | former & BLOCK_MASK;
    }

    /** Orders blocks by last use, the lower id first among equals. */
    long age(final int block)
    {
        return words[block * WORDS + TIME] & TIME_MASK | block;
    }

    int owners(final int block)
    {
        return (int)words[block * WORDS + USE];
    }

    int issue(final int block)
    {
        return (int)(words[block * WORDS + USE] >>> Integer.SIZE);
    }

    void addOwner(final int block)
    {
        words[block * WORDS + USE]++;
        digest += weight(block);
    }

    void removeOwner(final int block)
    {
        words[block * WORDS + USE]--;
        digest -= weight(block);
    }

    /** The block, free until now, gets its first owner in a new issue. */
    void handOut(final int block)
    {
        words[block * WORDS + USE] += ONE_HIGH + 1;
        final long weight = weight(block);
        digest += weight + issueWeight(weight);
    }

    int parent(final int block)
    {
        return (int)words[block * WORDS + LINK];
    }

    void parent(final int block, final int parent)
    {
        final int word = block * WORDS + LINK;
        words[word] = words[word] & ~LOW | parent & LOW;
    }

    int heapPlace(final int block)
    {
        return (int)(words[block * WORDS + LINK] >>> Integer.SIZE);
    }

    void heapPlace(final int block, final int place)
    {
        final int word = block * WORDS + LINK;
        words[word] = words[word] & LOW | (long)place << Integer.SIZE;
    }

    int children(final int block)
    {
        return (int)words[block * WORDS + CHILDREN];
    }

    int addChild(final int block)
    {
        return (int)++words[block * WORDS + CHILDREN];
    }

    int removeChild(final int block)
    {
        return (int)--words[block * WORDS + CHILDREN];
    }

    int pinnedChildren(final int block)
    {
        return (int)(words[block * WORDS + CHILDREN] >>> Integer.SIZE);
    }

    int addPinnedChild(final int block)
    {
        return (int)((words[block * WORDS + CHILDREN] += ONE_HIGH) >>> Integer.SIZE);
    }

    int removePinnedChild(final int block)
    {
        return (int)((words[block * WORDS + CHILDREN] -= ONE_HIGH) >>> Integer.SIZE);
    }

    long digest()
    {
        return digest;
    }

    /** What {@link #digest()} must be, computed from nothing. */
    long recomputeDigest()
    {
        long sum = 0;
        for (int block = 0; block < count; block++)
        {
            final long weight = weight(block);
            sum += weight * owners(block) + issueWeight(weight) * issue(block) +
                timestampWeight(weight) * timestamp(block);
        }
        return sum;
    }

    /** An odd number that looks random; the same on every machine. */
    static long weight(final int value)
    {
        final long product = (value + 1L) * 0x9E3779B97F4A7C15L;
        return (product ^ product >>> 32) * 0xD6E8FEB86659FD93L | 1;
    }

    private static long issueWeight(final long weight)
    {
        return Long.rotateLeft(weight, 21);
    }

    private static long timestampWeight(final long weight)
    {
        return Long.rotateLeft(weight, 42);
    }
}
