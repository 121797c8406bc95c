// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/**
 * The content of a journal's files, read by a second, slow program that follows the description of the format: it tries
 * every place of every segment for a whole record.
 */
final class SlowJournal
{
    static final int ENVELOPE_BYTES = 64;
    static final int GROUP = 2;
    private static final int ROWS = 3;
    private static final int SEAL = 4;
    private static final int MAGIC = 0x314C4A53;
    private static final int CRC = 12;

    private SlowJournal()
    {
    }

    /**
     * A record whose checksum fits.
     *
     * @param at      of its envelope in the file.
     * @param length  envelope and payload.
     */
    record Whole(Path file, int at, int length, int type, long sequence, long chain, long place)
    {
        private static final long POSITION = (1L << 40) - 1;

        /** At the position in its file at which it was written; the file may have another number since. */
        boolean isInPlace()
        {
            return (place & POSITION) == at;
        }

        boolean isChained()
        {
            return type >= 1 && type <= ROWS;
        }

        String digest()
        {
            return "%016x".formatted(chain);
        }
    }

    /** The whole records of all segments, each file's in their order up to its first seal. */
    static List<Whole> records(final Path journal) throws IOException
    {
        final List<Whole> records = new ArrayList<>();
        for (final Path segment : segments(journal))
        {
            for (final Path file : dataFiles(segment))
            {
                records.addAll(recordsOf(file, Files.readAllBytes(file)));
            }
        }
        return records;
    }

    static List<Whole> recordsOf(final Path file, final byte[] bytes)
    {
        final List<Whole> records = new ArrayList<>();
        final ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int at = 0;
        while (at + ENVELOPE_BYTES <= bytes.length)
        {
            final int length = buffer.getInt(at) == MAGIC ? wholeLength(buffer, bytes, at) : 0;
            if (length > 0)
            {
                final Whole record = new Whole(
                    file, at, length, buffer.getShort(at + 8), buffer.getLong(at + 16), buffer.getLong(at + 32),
                    buffer.getLong(at + 56));
                records.add(record);
                if (record.type() == SEAL)
                {
                    return records;
                }
            }
            at += Math.max(4, length + 3 & -4);
        }
        return records;
    }

    private static int wholeLength(final ByteBuffer buffer, final byte[] bytes, final int at)
    {
        final int length = buffer.getInt(at + 4);
        if (length < ENVELOPE_BYTES || length > bytes.length - at)
        {
            return 0;
        }
        return buffer.getInt(at + CRC) == crc(bytes, at, length) ? length : 0;
    }

    /** Over the record with its own four bytes as zero. */
    static int crc(final byte[] bytes, final int at, final int length)
    {
        final CRC32C crc = new CRC32C();
        crc.update(bytes, at, CRC);
        crc.update(new byte[4], 0, 4);
        crc.update(bytes, at + CRC + 4, length - CRC - 4);
        return (int)crc.getValue();
    }

    static void putCrc(final byte[] bytes, final int at, final int length)
    {
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(at + CRC, crc(bytes, at, length));
    }

    static List<Path> segments(final Path journal) throws IOException
    {
        try (Stream<Path> entries = Files.list(journal))
        {
            return entries.filter(entry -> entry.getFileName().toString().matches("segment-(?:\\d{5}|[1-9]\\d{5,8})"))
                .filter(Files::isDirectory).sorted().toList();
        }
    }

    static List<Path> dataFiles(final Path segment) throws IOException
    {
        try (Stream<Path> entries = Files.list(segment))
        {
            return entries.filter(entry -> entry.getFileName().toString().endsWith(".cq4"))
                .filter(entry -> Files.isRegularFile(entry, LinkOption.NOFOLLOW_LINKS)).sorted().toList();
        }
    }
}
