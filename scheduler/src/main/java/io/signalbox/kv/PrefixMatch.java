// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv;

/**
 * Finds the longest known prefix. {@link #scan} defines it: block by block, up to the first that is not known, not
 * at its place, or not built upon the one before it; so no list of hashes, chained or not, yields a block twice.
 *
 * <p>Long prefixes use a faster method with the same result. Hashes are chained over their prefix, so a binary search
 * finds the end of the match, and the links between the blocks lead to the others, each compared with its hash. A walk
 * along one chain waits for memory at every link, so {@value #LANES} parts of it are walked in parallel. If they meet an
 * unexpected block, the scan decides.
 */
final class PrefixMatch
{
    private static final int LANES = 8;
    /** Below it, a scan is as fast. */
    private static final int SCAN_LIMIT = 4 * LANES;

    private final BlockRecords records;
    private final PrefixIndex index;
    private final int[] laneBlocks = new int[LANES];

    PrefixMatch(final BlockRecords records, final PrefixIndex index)
    {
        this.records = records;
        this.index = index;
    }

    /** @return the number of blocks, which {@code blocks} holds from {@code offset} on. */
    int find(final long[] hashes, final int start, final int end, final int[] blocks, final int offset)
    {
        if (end - start > SCAN_LIMIT)
        {
            final int last = lastKnown(hashes, start, end);
            if (last - start > SCAN_LIMIT && follow(hashes, start, last, blocks, offset))
            {
                return last - start;
            }
        }
        return scan(hashes, start, end, blocks, offset);
    }

    private int scan(final long[] hashes, final int start, final int end, final int[] blocks, final int offset)
    {
        int previous = start == 0 ? BlockRecords.NO_BLOCK : index.get(hashes[start - 1]);
        for (int i = start; i < end; i++)
        {
            final int block = index.get(hashes[i]);
            if (block == BlockRecords.NO_BLOCK || records.depth(block) != i)
            {
                return i - start;
            }
            final int parent = records.parent(block);
            if (parent != previous && parent != BlockRecords.NO_BLOCK)
            {
                return i - start;
            }
            blocks[offset + i - start] = block;
            previous = block;
        }
        return end - start;
    }

    /** A known block whose successor is unknown: the end of the match, if the prefix has no gap. */
    private int lastKnown(final long[] hashes, final int start, final int end)
    {
        int known = start;
        int unknown = end;
        while (known < unknown)
        {
            // First the end, because a prefix that was computed once is often known as a whole.
            final int place = unknown == end ? end - 1 : known + unknown >>> 1;
            if (isKnown(hashes, place))
            {
                known = place + 1;
            }
            else
            {
                unknown = place;
            }
        }
        return known;
    }

    private boolean isKnown(final long[] hashes, final int place)
    {
        final int block = index.get(hashes[place]);
        return block != BlockRecords.NO_BLOCK && records.depth(block) == place;
    }

    /** Whether the blocks of {@code hashes[start .. end)} are one chain that begins with the prefix. */
    private boolean follow(final long[] hashes, final int start, final int end, final int[] blocks, final int offset)
    {
        final int length = (end - start) / LANES;
        final int firstLane = end - LANES * length;
        for (int lane = 0; lane < LANES; lane++)
        {
            laneBlocks[lane] = index.get(hashes[firstLane + (lane + 1) * length - 1]);
        }
        for (int step = length - 1; step >= 0; step--)
        {
            for (int lane = 0; lane < LANES; lane++)
            {
                final int place = firstLane + lane * length + step;
                final int block = laneBlocks[lane];
                if (block == BlockRecords.NO_BLOCK || records.hash(block) != hashes[place])
                {
                    return false;
                }
                blocks[offset + place - start] = block;
                laneBlocks[lane] = records.parent(block);
            }
        }
        return lanesMeet(start, firstLane, length, blocks, offset) &&
            followRest(hashes, start, firstLane, blocks, offset);
    }

    /** Each lane but the first ends at the block that the one before began with. */
    private boolean lanesMeet(
        final int start, final int firstLane, final int length, final int[] blocks, final int offset)
    {
        for (int lane = 1; lane < LANES; lane++)
        {
            if (laneBlocks[lane] != blocks[offset + firstLane + lane * length - 1 - start])
            {
                return false;
            }
        }
        return true;
    }

    /** The few blocks ahead of the first lane, and the root of them all. */
    private boolean followRest(
        final long[] hashes, final int start, final int firstLane, final int[] blocks, final int offset)
    {
        int block = laneBlocks[0];
        for (int place = firstLane - 1; place >= start; place--)
        {
            if (block == BlockRecords.NO_BLOCK || records.hash(block) != hashes[place])
            {
                return false;
            }
            blocks[offset + place - start] = block;
            block = records.parent(block);
        }
        return records.depth(blocks[offset]) == start &&
            block == (start == 0 ? BlockRecords.NO_BLOCK : index.get(hashes[start - 1]));
    }
}
