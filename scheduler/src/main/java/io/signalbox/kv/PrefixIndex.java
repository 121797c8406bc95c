// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import io.signalbox.InvariantViolation;

import java.util.Arrays;

/**
 * Block hash → KV block. A block hash is chained over its prefix, so an entry identifies the whole prefix up to and
 * including its block. Open addressing with linear probing; at most three quarters full; no allocation after
 * construction.
 *
 * <pre>
 *   slot  31   28 27      24 23                0
 *        |  mark | distance |    block id + 1   |
 * </pre>
 *
 * The hash itself is in the block's record. A slot keeps its distance from the home slot of its hash, up to 14, and four
 * bits of the hash as a mark, so that a look-up seldom reads a wrong record and a removal hardly any.
 */
final class PrefixIndex
{
    private static final int EMPTY = 0;
    private static final int MARK_SHIFT = 28;
    private static final int DISTANCE_SHIFT = BlockRecords.BLOCK_BITS;
    /** A distance of this value means this or more. */
    private static final int FAR = 15;

    private final BlockRecords records;
    private final int[] slots;
    private final int mask;
    private final int shift;
    private int size;

    PrefixIndex(final BlockRecords records)
    {
        this.records = records;
        final int atLeast = Math.max(4, records.count() + records.count() / 3);
        final int capacity = Integer.highestOneBit(atLeast - 1) << 1;
        slots = new int[capacity];
        mask = capacity - 1;
        shift = Long.SIZE - Integer.numberOfTrailingZeros(capacity);
    }

    int get(final long hash)
    {
        final long spread = spread(hash);
        final int home = (int)(spread >>> shift);
        int distance = 0;
        int slot = slots[home];
        while (slot != EMPTY)
        {
            if (slot >>> DISTANCE_SHIFT == tag(spread, distance) && records.hash(block(slot)) == hash)
            {
                return block(slot);
            }
            distance++;
            slot = slots[home + distance & mask];
        }
        return BlockRecords.NO_BLOCK;
    }

    /** Reads the home slot of this hash ahead of a look-up, to have it in a near cache by then. */
    int slotOf(final long hash)
    {
        return slots[home(hash)];
    }

    /** Adds an entry whose hash is not present; the block's record must already name it. */
    void put(final long hash, final int block)
    {
        final long spread = spread(hash);
        final int home = (int)(spread >>> shift);
        int distance = 0;
        while (slots[home + distance & mask] != EMPTY)
        {
            distance++;
        }
        slots[home + distance & mask] = tag(spread, distance) << DISTANCE_SHIFT | block + 1;
        size++;
    }

    /** Mark and distance: the bits of a slot above the block id. */
    private static int tag(final long spread, final int distance)
    {
        return (int)spread >>> MARK_SHIFT << MARK_SHIFT - DISTANCE_SHIFT | Math.min(distance, FAR);
    }

    /** Drops the entry of a block whose record still names it. */
    void remove(final int block)
    {
        final long hash = records.hash(block);
        int place = home(hash);
        while (block(slots[place]) != block)
        {
            if (slots[place] == EMPTY)
            {
                throw new InvariantViolation("block " + block + " with hash " + hash + " is not in the prefix index");
            }
            place = place + 1 & mask;
        }
        size--;
        closeGap(place);
    }

    /** Moves later entries of the probe run back, so that look-ups need no tombstones. */
    private void closeGap(final int removed)
    {
        int gap = removed;
        int place = gap + 1 & mask;
        while (slots[place] != EMPTY)
        {
            final int distance = distance(place);
            final int shorter = distance - (place - gap & mask);
            if (shorter >= 0)
            {
                slots[gap] = slots[place] & ~(FAR << DISTANCE_SHIFT) | Math.min(shorter, FAR) << DISTANCE_SHIFT;
                gap = place;
            }
            place = place + 1 & mask;
        }
        slots[gap] = EMPTY;
    }

    private int distance(final int place)
    {
        final int distance = slots[place] >>> DISTANCE_SHIFT & FAR;
        return distance < FAR ? distance : place - home(records.hash(block(slots[place]))) & mask;
    }

    void clear()
    {
        Arrays.fill(slots, EMPTY);
        size = 0;
    }

    int size()
    {
        return size;
    }

    private static int block(final int slot)
    {
        return (slot & BlockRecords.BLOCK_MASK) - 1;
    }

    /** The home slot of a hash. */
    int home(final long hash)
    {
        return (int)(spread(hash) >>> shift);
    }

    /** The shift spreads hashes that share a common factor. */
    static long spread(final long hash)
    {
        return (hash ^ hash >>> 32) * 0x9E3779B97F4A7C15L;
    }
}
