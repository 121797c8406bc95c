// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.experts.ModelShape;
import io.signalbox.journal.JournalException.Kind;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.zip.CRC32C;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Journals whose rows are packed, against the same journals with rows as they are. */
final class PackedJournalTest
{
    private static final int ROWS = 3_000;

    @TempDir
    private Path directory;

    /** Three quarters of 48 bytes; the weights of the last shape are 4 times its ids and stay as they are. */
    @Test
    void shouldHaveOneDigestAndEveryRowInBothForms()
    {
        check(new ModelShape(24, 64, 2), 0.80);
        check(new ModelShape(24, 32, 8), 0.65);
        check(new ModelShape(6, 384, 8), 0.60);
        check(new ModelShape(4, 256, 8), 1);
        check(new ModelShape(24, 16, 2, null, true), 0.92);
    }

    private void check(final ModelShape shape, final double largestShare)
    {
        final byte[] rows = rows(shape);
        final JournalConfig plain = Runs.options(Durability.PROCESS).withPacksRows(false);
        final String name = shape.experts() + "-" + shape.topK() + "-" + shape.combineWeights();
        final long plainBytes = write(directory.resolve("plain" + name), shape, rows, plain);
        final long packedBytes =
            write(directory.resolve("packed" + name), shape, rows, plain.withPacksRows(true));

        assertEquals(read(directory.resolve("plain" + name), rows), read(directory.resolve("packed" + name), rows));
        assertTrue(packedBytes <= largestShare * plainBytes, shape + ": " + packedBytes + " of " + plainBytes + " bytes");
    }

    /** Every id of a shape occurs, and the highest. */
    private static byte[] rows(final ModelShape shape)
    {
        final byte[] rows = new byte[ROWS * shape.rowBytes()];
        final Random random = new Random(shape.experts());
        random.nextBytes(rows);
        for (int row = 0; row < ROWS; row++)
        {
            for (int i = 0; i < shape.rowIds(); i++)
            {
                final int id = i == 0 ? shape.experts() - 1 : random.nextInt(shape.experts());
                final int at = row * shape.rowBytes() + i * shape.idBytes();
                rows[at] = (byte)id;
                if (shape.idBytes() == 2)
                {
                    rows[at + 1] = (byte)(id >> 8);
                }
            }
        }
        return rows;
    }

    private static Map<String, String> settings(final ModelShape shape)
    {
        final Map<String, String> settings = new TreeMap<>(Runs.settings());
        settings.putAll(shape.settings());
        return settings;
    }

    private static long write(final Path journal, final ModelShape shape, final byte[] rows, final JournalConfig config)
    {
        try (JournalWriter writer = JournalWriter.create(journal, settings(shape), config))
        {
            final UnsafeBuffer group = Runs.completion(1, ROWS, shape.rowBytes());
            writer.append(1, group, 0, group.capacity(),
                new Runs.Slice(new UnsafeBuffer(rows), 0, ROWS, shape.rowBytes()));
            final int count = 4096 / shape.rowBytes();
            final UnsafeBuffer inline = Runs.inlineCompletion(2, rows, count, shape.rowBytes());
            writer.append(2, inline, 0, inline.capacity(), null);
            return writer.bytes();
        }
    }

    private static String read(final Path journal, final byte[] rows)
    {
        try (JournalReader reader = JournalReader.open(journal))
        {
            assertTrue(reader.next());
            assertEquals(new UnsafeBuffer(rows), reader.rows());
            assertTrue(reader.next());
            assertEquals(2, reader.timeNanos());
            final String group = reader.group().toString();
            assertFalse(reader.next(), group);
            return reader.digest();
        }
    }

    @Test
    void shouldRefuseAFormThatItDoesNotKnowByItsNumber()
    {
        final MemoryFiles files = withRows();
        final int at = envelopeOf(files, 4);
        files.bytes(0)[at + 9] = 7;
        putCrc(files, at);

        final JournalException refusal = Scans.refusal(files);

        assertEquals(Kind.UNSUPPORTED_VERSION, refusal.kind());
        assertTrue(refusal.getMessage().contains("payload form 7"), refusal.getMessage());
        assertTrue(refusal.getMessage().contains("records 0 to 3 are good"), refusal.getMessage());
    }

    @Test
    void shouldRefuseASealInAPackedForm()
    {
        final MemoryFiles files = SimulatedLog.sealed(2, Runs.options(Durability.PROCESS)).files();
        final int at = envelopeOf(files, 3);
        files.bytes(0)[at + 9] = Envelope.PACKED;
        putCrc(files, at);

        assertEquals(Kind.UNSUPPORTED_VERSION, Scans.refusal(files).kind());
    }

    /** A writer at fault: the record's checksum fits. */
    @Test
    void shouldNameAPayloadThatCannotBeUnpacked()
    {
        final MemoryFiles files = withRows();
        final int at = envelopeOf(files, 4);
        Envelope.putInt32(files.bytes(0), at + Envelope.LENGTH + 8, Integer.MAX_VALUE);
        putCrc(files, at);

        final JournalException refusal = Scans.refusal(files);

        assertEquals(Kind.CORRUPT_RECORD, refusal.kind());
        assertEquals(4, refusal.sequence());
        assertTrue(refusal.getMessage().contains("its payload cannot be unpacked, because its 1 rows of 2147483647 ids"),
            refusal.getMessage());
    }

    /** A journal of three notes and a chunk of 100 rows of 8 ids below 64, which are packed. */
    private static MemoryFiles withRows()
    {
        final SimulatedLog log = SimulatedLog.open(3, Runs.options(Durability.PROCESS));
        log.packedRows(100, 8, 64);
        final UnsafeBuffer group = Runs.completion(1, 100, 8);
        log.log().append(RecordType.GROUP, 7, group, 0, group.capacity());
        assertEquals(5, Scans.read(log.files()).position().records() - 1);
        return log.files().copy();
    }

    /** Position of a record's envelope in segment 0, counted in records. */
    private static int envelopeOf(final MemoryFiles files, final int record)
    {
        return (int)Scans.records(files, 0).get(record).from() + SegmentWalker.HEADER_BYTES;
    }

    private static void putCrc(final MemoryFiles files, final int at)
    {
        final byte[] bytes = files.bytes(0);
        final int length = Envelope.totalLength(bytes, at);
        final byte[] record = new byte[length];
        System.arraycopy(bytes, at, record, 0, length);
        Envelope.putCrc(record, length, new CRC32C());
        System.arraycopy(record, 0, bytes, at, length);
    }
}
