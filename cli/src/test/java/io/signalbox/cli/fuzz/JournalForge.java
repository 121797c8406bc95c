// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Changes the payload of a record and makes checksums and chain fit again, as someone who knows the format could: the
 * decoders are reached by bytes that are wrong.
 */
final class JournalForge
{
    private static final Hasher64 XXH3 = Hashing.xxh3_64();
    private static final int[] VALUES = {0, -1, 1, 0x7F, 0x80, 0xFF, 2, 0x40};
    private static final int LOGICAL_TIME = 24;
    private static final int CHAIN = 32;

    private JournalForge()
    {
    }

    /** Forges a journal of one segment; returns what was done. */
    static String apply(final Path journal, final RandomGenerator random) throws IOException
    {
        final List<Path> segments = SlowJournal.segments(journal);
        final Path file = segments.isEmpty() ? null : JournalChange.dataFile(segments.get(0));
        final byte[] bytes = file == null ? new byte[0] : Files.readAllBytes(file);
        final List<SlowJournal.Whole> records = SlowJournal.recordsOf(file, bytes);
        if (records.isEmpty())
        {
            return "nothing";
        }
        // The first record describes the run, and is worth more tries than one of many.
        final SlowJournal.Whole record = records.get(random.nextInt(4) == 0 ? 0 : random.nextInt(records.size()));
        final int payload = record.length() - SlowJournal.ENVELOPE_BYTES;
        for (int i = random.nextInt(4); i >= 0 && payload > 0; i--)
        {
            change(bytes, record.at() + SlowJournal.ENVELOPE_BYTES + random.nextInt(payload), random);
        }
        relink(bytes, records);
        Files.write(file, bytes);
        return "forged record " + record.sequence() + ", type " + record.type();
    }

    private static void change(final byte[] bytes, final int at, final RandomGenerator random)
    {
        if (random.nextInt(3) == 0 && at + 8 <= bytes.length)
        {
            ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(at & -4,
                random.nextBoolean() ? Integer.MAX_VALUE - random.nextInt(2) : random.nextInt(1 << 20) - 100);
        }
        else
        {
            bytes[at] = (byte)(random.nextBoolean() ? VALUES[random.nextInt(VALUES.length)] : random.nextInt());
        }
    }

    private static void relink(final byte[] bytes, final List<SlowJournal.Whole> records)
    {
        final ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        final ByteBuffer link = ByteBuffer.allocate(40).order(ByteOrder.LITTLE_ENDIAN);
        long chain = 0;
        for (final SlowJournal.Whole record : records)
        {
            if (record.isChained())
            {
                link.clear();
                link.putLong(chain).putLong(record.sequence()).putLong(record.type());
                link.putLong(buffer.getLong(record.at() + LOGICAL_TIME));
                link.putLong(XXH3.hashBytesToLong(bytes, record.at() + SlowJournal.ENVELOPE_BYTES,
                    record.length() - SlowJournal.ENVELOPE_BYTES));
                chain = XXH3.hashBytesToLong(link.array());
            }
            buffer.putLong(record.at() + CHAIN, chain);
            if (!record.isChained())
            {
                // The seal's own copy: behind its header of 8 bytes, the counts of records and groups.
                buffer.putLong(record.at() + SlowJournal.ENVELOPE_BYTES + 24, chain);
            }
            SlowJournal.putCrc(bytes, record.at(), record.length());
        }
    }
}
