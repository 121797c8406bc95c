// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import io.signalbox.InvariantViolation;

import java.util.Arrays;

/**
 * Block hash → KV block. A block hash is chained over its prefix, so an entry stands for the whole prefix up to and
 * including its block. Open addressing with linear probing; at most three quarters full; no allocation after
 * construction. A slot holds the block id and eight bits of the hash, the records hold the hash itself: so a slot is one
 * int, and a wrong record is looked at once in 256 collisions.
 */
final class PrefixIndex
{
    private static final int EMPTY = 0;
    private static final int MARK_MASK = ~BlockRecords.BLOCK_MASK;

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
        int place = (int)(spread >>> shift);
        int slot = slots[place];
        while (slot != EMPTY)
        {
            if ((slot ^ (int)spread) >>> BlockRecords.BLOCK_BITS == 0 && records.hash(block(slot)) == hash)
            {
                return block(slot);
            }
            place = place + 1 & mask;
            slot = slots[place];
        }
        return BlockRecords.NO_BLOCK;
    }

    /** Adds an entry whose hash is not present; the block's record must already name it. */
    void put(final long hash, final int block)
    {
        final long spread = spread(hash);
        int place = (int)(spread >>> shift);
        while (slots[place] != EMPTY)
        {
            place = place + 1 & mask;
        }
        slots[place] = (int)spread & MARK_MASK | block + 1;
        size++;
    }

    /** Drops the entry of a block whose record still names it. */
    void remove(final int block)
    {
        final long hash = records.hash(block);
        int place = (int)(spread(hash) >>> shift);
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
            final int home = (int)(spread(records.hash(block(slots[place]))) >>> shift);
            if ((place - home & mask) >= (place - gap & mask))
            {
                slots[gap] = slots[place];
                gap = place;
            }
            place = place + 1 & mask;
        }
        slots[gap] = EMPTY;
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

    /** The shift keeps hashes that are themselves multiples of something from meeting in few places. */
    private static long spread(final long hash)
    {
        return (hash ^ hash >>> 32) * 0x9E3779B97F4A7C15L;
    }
}
