// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import io.signalbox.saved.SavedFields;

/**
 * State of every KV block of a pool: four adjacent words, so that reading a block touches one cache line.
 *
 * <pre>
 *   word  63          48 47              24 23               0
 *      0 |                     block hash                     |
 *      1 |            timestamp            |       depth      |
 *      2 | issue, high  | pinned children  |      owners      |
 *      3 | issue, low   |     children     | parent block + 1 |
 * </pre>
 *
 * Every mutation updates the digest over owners, issues and timestamps. It is a sum of each value times a weight of its
 * block, so that a change costs one multiplication.
 */
final class BlockRecords
{
    static final int NO_BLOCK = -1;
    /** Bits that hold any block id or number of blocks, and any depth of a block in its prefix. */
    static final int BLOCK_BITS = 24;
    static final int BLOCK_MASK = (1 << BLOCK_BITS) - 1;
    /** Depth of a block whose place in its prefix is unknown; no prefix has that many blocks. */
    static final int UNKNOWN_DEPTH = BLOCK_MASK;
    static final long MAX_TIMESTAMP = (1L << 39) - 1;
    static final int MAX_OWNERS = BLOCK_MASK;

    private static final int WORDS_LOG2 = 2;
    private static final int HASH = 0;
    private static final int TIME = 1;
    private static final int USE = 2;
    private static final int LINK = 3;
    private static final int ISSUE_SHIFT = 48;
    private static final int ISSUE_LOW_BITS = 16;
    private static final long ISSUE_MASK = -(1L << ISSUE_SHIFT);
    private static final long ONE_ISSUE = 1L << ISSUE_SHIFT;
    private static final long ONE_CHILD = 1L << BLOCK_BITS;
    private static final long TIME_MASK = -(1L << BLOCK_BITS);
    private static final long PINNED_MASK = (long)BLOCK_MASK << BLOCK_BITS;

    private final long[] words;
    private final int count;
    private long digest;

    BlockRecords(final int count)
    {
        this.count = count;
        words = new long[count << WORDS_LOG2];
        reset();
    }

    /** Every block free and without a hash; issue numbers continue. */
    void reset()
    {
        for (int block = 0; block < count; block++)
        {
            words[word(block, USE)] &= ISSUE_MASK;
            forget(block);
            words[word(block, TIME)] = 0;
        }
        digest = recomputeDigest();
    }

    int count()
    {
        return count;
    }

    long hash(final int block)
    {
        return words[word(block, HASH)];
    }

    int depth(final int block)
    {
        return (int)words[word(block, TIME)] & BLOCK_MASK;
    }

    void name(final int block, final long hash, final int depth)
    {
        words[word(block, HASH)] = hash;
        words[word(block, TIME)] = words[word(block, TIME)] & TIME_MASK | depth & BLOCK_MASK;
    }

    /** Drops hash and links. */
    void forget(final int block)
    {
        words[word(block, HASH)] = KvBlockAllocator.NO_HASH;
        words[word(block, USE)] &= ~PINNED_MASK;
        words[word(block, LINK)] &= ISSUE_MASK;
    }

    long timestamp(final int block)
    {
        return words[word(block, TIME)] >>> BLOCK_BITS;
    }

    void timestamp(final int block, final long timestamp)
    {
        final int word = word(block, TIME);
        final long former = words[word];
        digest += timestampWeight(weight(block)) * (timestamp - (former >>> BLOCK_BITS));
        words[word] = timestamp << BLOCK_BITS | former & BLOCK_MASK;
    }

    /** Orders blocks by last use, the lower id first among equals. */
    long age(final int block)
    {
        return words[word(block, TIME)] & TIME_MASK | block;
    }

    int owners(final int block)
    {
        return (int)words[word(block, USE)] & BLOCK_MASK;
    }

    int issue(final int block)
    {
        return (int)(words[word(block, USE)] >>> ISSUE_SHIFT) << ISSUE_LOW_BITS |
            (int)(words[word(block, LINK)] >>> ISSUE_SHIFT);
    }

    void addOwner(final int block)
    {
        words[word(block, USE)]++;
        digest += weight(block);
    }

    void removeOwner(final int block)
    {
        words[word(block, USE)]--;
        digest -= weight(block);
    }

    /** The block, free until now, gets its first owner in a new issue. */
    void handOut(final int block)
    {
        final int low = word(block, LINK);
        words[low] += ONE_ISSUE;
        final boolean carries = words[low] >>> ISSUE_SHIFT == 0;
        words[word(block, USE)] += carries ? ONE_ISSUE + 1 : 1;
        final long weight = weight(block);
        digest += weight + issueWeight(weight);
    }

    int parent(final int block)
    {
        return ((int)words[word(block, LINK)] & BLOCK_MASK) - 1;
    }

    void parent(final int block, final int parent)
    {
        final int word = word(block, LINK);
        words[word] = words[word] & ~BLOCK_MASK | parent + 1;
    }

    int children(final int block)
    {
        return (int)(words[word(block, LINK)] >>> BLOCK_BITS) & BLOCK_MASK;
    }

    int addChild(final int block)
    {
        words[word(block, LINK)] += ONE_CHILD;
        return children(block);
    }

    int removeChild(final int block)
    {
        words[word(block, LINK)] -= ONE_CHILD;
        return children(block);
    }

    int pinnedChildren(final int block)
    {
        return (int)(words[word(block, USE)] >>> BLOCK_BITS) & BLOCK_MASK;
    }

    int addPinnedChild(final int block)
    {
        words[word(block, USE)] += ONE_CHILD;
        return pinnedChildren(block);
    }

    int removePinnedChild(final int block)
    {
        words[word(block, USE)] -= ONE_CHILD;
        return pinnedChildren(block);
    }

    /** Owners, issue, last use and hash of each block; of one with a hash also its place in its prefix. */
    void save(final SavedFields fields)
    {
        for (int block = 0; block < count; block++)
        {
            final int owners = fields.int32(owners(block), 0, MAX_OWNERS);
            final int issue = fields.int32(issue(block));
            final long timestamp = fields.number(timestamp(block));
            final long hash = fields.number(hash(block));
            final boolean isNamed = hash != KvBlockAllocator.NO_HASH;
            final int depth = isNamed ? fields.int32(depth(block), 0, UNKNOWN_DEPTH) : 0;
            final int parent = isNamed ? fields.int32(parent(block), NO_BLOCK, count - 1) : NO_BLOCK;
            if (fields.isReading())
            {
                set(block, owners, issue, timestamp & MAX_TIMESTAMP, hash, depth, parent);
            }
        }
        if (fields.isReading())
        {
            digest = recomputeDigest();
        }
    }

    /** No block has children yet. */
    private void set(
        final int block,
        final int owners,
        final int issue,
        final long timestamp,
        final long hash,
        final int depth,
        final int parent)
    {
        words[word(block, HASH)] = hash;
        words[word(block, TIME)] = timestamp << BLOCK_BITS | depth;
        words[word(block, USE)] = (long)(issue >>> ISSUE_LOW_BITS) << ISSUE_SHIFT | owners;
        words[word(block, LINK)] = (long)(issue & 0xFFFF) << ISSUE_SHIFT | parent + 1;
    }

    long digest()
    {
        return digest;
    }

    /** The same as {@link #digest()}, computed from all blocks. */
    long recomputeDigest()
    {
        long sum = 0;
        for (int block = 0; block < count; block++)
        {
            final long weight = weight(block);
            sum += weight * owners(block) + issueWeight(weight) * Integer.toUnsignedLong(issue(block)) +
                timestampWeight(weight) * timestamp(block);
        }
        return sum;
    }

    private static int word(final int block, final int property)
    {
        return (block << WORDS_LOG2) + property;
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
