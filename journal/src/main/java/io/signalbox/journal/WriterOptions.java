// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.ConfigException;

/**
 * How a journal is written. None of it changes the digest.
 *
 * @param durability   what an acknowledged group survives.
 * @param segmentBytes length of its records at which a segment is sealed and the next begun, at the end of a group; at
 *                     least 65,536.
 * @param blockBytes   unit in which Chronicle maps and grows a segment's file; a power of two from 65,536 to 1 GiB.
 */
public record WriterOptions(Durability durability, long segmentBytes, long blockBytes)
{
    /** 1 GiB. */
    public static final long SEGMENT_BYTES = 1L << 30;
    /** 64 MiB. */
    public static final long BLOCK_BYTES = 1L << 26;
    private static final long SMALLEST_BYTES = 1L << 16;
    /** The envelope names positions in 40 bits; half of that leaves room for the largest group. */
    private static final long LARGEST_SEGMENT_BYTES = 1L << 39;
    private static final long LARGEST_BLOCK_BYTES = 1L << 30;

    public WriterOptions
    {
        if (segmentBytes < SMALLEST_BYTES || segmentBytes > LARGEST_SEGMENT_BYTES)
        {
            throw new ConfigException("segmentBytes=" + segmentBytes + " is not between " + SMALLEST_BYTES + " and " +
                LARGEST_SEGMENT_BYTES + "; give the size at which a journal segment is sealed.");
        }
        if (blockBytes < SMALLEST_BYTES || blockBytes > LARGEST_BLOCK_BYTES || Long.bitCount(blockBytes) != 1)
        {
            throw new ConfigException("blockBytes=" + blockBytes + " is not a power of two between " + SMALLEST_BYTES +
                " and " + LARGEST_BLOCK_BYTES + "; give the unit in which a segment's file grows.");
        }
    }

    public static WriterOptions of(final Durability durability)
    {
        return new WriterOptions(durability, SEGMENT_BYTES, BLOCK_BYTES);
    }
}
