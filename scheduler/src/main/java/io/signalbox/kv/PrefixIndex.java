// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

import io.signalbox.InvariantViolation;
import io.signalbox.StateDigest;

import java.util.Arrays;

/**
 * Block hash → KV block of one rank. A block hash is chained over its prefix, so an entry stands for the whole prefix
 * up to and including its block. Open addressing with linear probing; never more than half full; no allocation after
 * construction.
 */
final class PrefixIndex
{
    static final int NO_BLOCK = -1;
    private static final long EMPTY = KvBlockAllocator.NO_HASH;

    private final long[] hashes;
    private final int[] blockIds;
    private final int mask;
    private int size;
    private long digest;

    PrefixIndex(final int maxEntries)
    {
        final int capacity = Math.max(4, Integer.highestOneBit(Math.max(1, maxEntries) * 2 - 1) << 1);
        hashes = new long[capacity];
        blockIds = new int[capacity];
        mask = capacity - 1;
    }

    int get(final long blockHash)
    {
        int slot = home(blockHash);
        while (hashes[slot] != EMPTY)
        {
            if (hashes[slot] == blockHash)
            {
                return blockIds[slot];
            }
            slot = (slot + 1) & mask;
        }
        return NO_BLOCK;
    }

    /** Adds an entry whose hash is not present. */
    void put(final long blockHash, final int blockId)
    {
        int slot = home(blockHash);
        while (hashes[slot] != EMPTY)
        {
            slot = (slot + 1) & mask;
        }
        hashes[slot] = blockHash;
        blockIds[slot] = blockId;
        size++;
        digest += StateDigest.mix(blockHash, blockId);
    }

    void remove(final long blockHash)
    {
        int gap = home(blockHash);
        while (hashes[gap] != blockHash)
        {
            if (hashes[gap] == EMPTY)
            {
                throw new InvariantViolation("block hash " + blockHash + " is not in the prefix index");
            }
            gap = (gap + 1) & mask;
        }
        digest -= StateDigest.mix(blockHash, blockIds[gap]);
        size--;
        closeGap(gap);
    }

    /** Moves later entries of the probe run back, so that look-ups need no tombstones. */
    private void closeGap(final int removedSlot)
    {
        int gap = removedSlot;
        int slot = gap;
        while (true)
        {
            slot = (slot + 1) & mask;
            if (hashes[slot] == EMPTY)
            {
                break;
            }
            final int distanceFromHome = (slot - home(hashes[slot])) & mask;
            if (distanceFromHome >= ((slot - gap) & mask))
            {
                hashes[gap] = hashes[slot];
                blockIds[gap] = blockIds[slot];
                gap = slot;
            }
        }
        hashes[gap] = EMPTY;
    }

    void clear()
    {
        Arrays.fill(hashes, EMPTY);
        size = 0;
        digest = 0;
    }

    int size()
    {
        return size;
    }

    /** Sum over all entries, independent of the order in which they came. */
    long digest()
    {
        return digest;
    }

    private int home(final long blockHash)
    {
        return (int)((blockHash * 0x9E3779B97F4A7C15L) >>> 32) & mask;
    }
}
