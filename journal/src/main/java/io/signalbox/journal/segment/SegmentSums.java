// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

import com.dynatrace.hash4j.hashing.Hashing;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * The checksums of all bytes of a sealed segment, up to the end of its seal, in a file beside the segment. They say whether
 * a segment is as it was sealed, and where not, at the speed of the disk and without a look at its records. If records are
 * read, their own checksums count, and never these. All numbers are little endian.
 *
 * <pre>
 *   byte   0  magic "SJS1", format version, segment number, bytes of a piece (u32 each)
 *         16  bytes of the segment's file that are covered, from its first one on (int64)
 *         24  XXH3-64 of each piece, the last one shorter (int64 each)
 *        end  CRC32C of all bytes ahead of it (u32)
 * </pre>
 */
public final class SegmentSums
{
    public static final int PIECE_BYTES = 1 << 16;
    private static final int PIECES_PER_PAUSE = 8;
    private static final int MAGIC = 0x31534A53;
    private static final int VERSION = 1;
    private static final int HEADER_BYTES = 24;
    private static final int COVERED_BYTES_AT = 16;
    private static final long MOST_COVERED_BYTES = 1L << 40;
    private static final long MOST_BYTES =
        HEADER_BYTES + MOST_COVERED_BYTES / PIECE_BYTES * Long.BYTES + Integer.BYTES;

    private final int segment;
    private final long coveredBytes;
    private final long[] sums;

    /** Bytes of a segment that are not those that were sealed. */
    record Damage(long from, long to)
    {
    }

    private SegmentSums(final int segment, final long coveredBytes, final long[] sums)
    {
        this.segment = segment;
        this.coveredBytes = coveredBytes;
        this.sums = sums;
    }

    /**
     * Reads the segment.
     *
     * @param coveredBytes position behind the seal.
     * @param pause        called after every few pieces.
     */
    static SegmentSums of(final int segment, final ByteSource source, final long coveredBytes, final Runnable pause)
    {
        final long[] sums = new long[pieces(coveredBytes)];
        final byte[] piece = new byte[PIECE_BYTES];
        for (int i = 0; i < sums.length; i++)
        {
            sums[i] = sum(source, piece, i, coveredBytes);
            if (i % PIECES_PER_PAUSE == 0)
            {
                pause.run();
            }
        }
        return new SegmentSums(segment, coveredBytes, sums);
    }

    private static int pieces(final long coveredBytes)
    {
        return (int)((coveredBytes + PIECE_BYTES - 1) / PIECE_BYTES);
    }

    private static long sum(final ByteSource source, final byte[] piece, final int index, final long coveredBytes)
    {
        final long from = (long)index * PIECE_BYTES;
        final int length = (int)Math.min(PIECE_BYTES, coveredBytes - from);
        final int read = source.read(from, piece, 0, length);
        Arrays.fill(piece, read, length, (byte)0);
        return Hashing.xxh3_64().hashBytesToLong(piece, 0, length);
    }

    /** The first pieces in a row that differ or are missing; {@code null} if there is none. */
    Damage check(final ByteSource source)
    {
        final byte[] piece = new byte[PIECE_BYTES];
        int first = 0;
        while (first < sums.length && fits(source, piece, first))
        {
            first++;
        }
        int end = first;
        while (end < sums.length && !fits(source, piece, end))
        {
            end++;
        }
        return first == end ? null :
            new Damage((long)first * PIECE_BYTES, Math.min(coveredBytes, (long)end * PIECE_BYTES));
    }

    private boolean fits(final ByteSource source, final byte[] piece, final int index)
    {
        return source.length() >= Math.min(coveredBytes, (index + 1L) * PIECE_BYTES) &&
            sum(source, piece, index, coveredBytes) == sums[index];
    }

    /** Bytes of the segment's file from its first one on. */
    public long coveredBytes()
    {
        return coveredBytes;
    }

    /** @param synced whether it is to survive power loss once this returns. */
    void write(final Path journal, final boolean synced) throws IOException
    {
        AsideFile.write(journal.resolve(SegmentName.sumsOf(segment)), encode(), synced);
    }

    private byte[] encode()
    {
        final ByteBuffer bytes = ByteBuffer.allocate(HEADER_BYTES + sums.length * Long.BYTES + Integer.BYTES)
            .order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(MAGIC).putInt(VERSION).putInt(segment).putInt(PIECE_BYTES).putLong(coveredBytes);
        for (final long sum : sums)
        {
            bytes.putLong(sum);
        }
        return bytes.putInt(crc(bytes.array(), bytes.position())).array();
    }

    public static int crc(final byte[] bytes, final int length)
    {
        final CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int)crc.getValue();
    }

    /** Those of a segment; {@code null} if there are none, or they cannot be read, or are not as they were written. */
    public static SegmentSums readOrNull(final Path journal, final int segment)
    {
        try
        {
            final Path file = journal.resolve(SegmentName.sumsOf(segment));
            return decode(AsideFile.read(file, HEADER_BYTES, MOST_BYTES, SegmentSums::length), segment);
        }
        catch (final NoSuchFileException e)
        {
            return null;
        }
        catch (final IOException e)
        {
            // As good as none: a check says so.
            return null;
        }
    }

    /** Length of the file with this header; -1 if it covers an impossible number of bytes. */
    private static long length(final ByteBuffer header)
    {
        final long coveredBytes = header.getLong(COVERED_BYTES_AT);
        return coveredBytes < 1 || coveredBytes > MOST_COVERED_BYTES ? -1 :
            HEADER_BYTES + (long)pieces(coveredBytes) * Long.BYTES + Integer.BYTES;
    }

    private static SegmentSums decode(final byte[] file, final int segment)
    {
        final ByteBuffer bytes = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        if (bytes.getInt() != MAGIC || bytes.getInt() != VERSION || bytes.getInt() != segment ||
            bytes.getInt() != PIECE_BYTES)
        {
            return null;
        }
        final long coveredBytes = bytes.getLong();
        if (bytes.getInt(file.length - Integer.BYTES) != crc(file, file.length - Integer.BYTES))
        {
            return null;
        }
        final long[] sums = new long[pieces(coveredBytes)];
        bytes.asLongBuffer().get(sums);
        return new SegmentSums(segment, coveredBytes, sums);
    }
}
