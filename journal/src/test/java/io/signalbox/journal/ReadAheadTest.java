// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.Scans.Range;
import io.signalbox.journal.segment.BatchRing;
import io.signalbox.journal.segment.DirectoryFiles;
import io.signalbox.journal.segment.GroupBatch;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Journals that another thread reads ahead, against the same journals read in one thread. */
@Timeout(600)
final class ReadAheadTest
{
    private static final String THREAD = "signalbox-journal-reader";
    private static final int ROW_BYTES = 100;
    private static final int LONG_NOTE = 60_000;

    @TempDir
    private Path journal;

    @AfterEach
    void shouldLeaveNoThread()
    {
        assertFalse(Thread.getAllStackTraces().keySet().stream().anyMatch(thread -> THREAD.equals(thread.getName())));
    }

    /** Several batches, segments and lengths, and groups with and without rows. */
    private void write(final int groups)
    {
        try (JournalWriter writer =
            JournalWriter.create(journal, Runs.settings(), new JournalConfig(Durability.PROCESS, 1 << 20, Runs.SMALL_BLOCK)))
        {
            for (int i = 1; i <= groups; i++)
            {
                final int rows = i % 7 == 0 ? i : 0;
                final UnsafeBuffer group =
                    rows == 0 ? Runs.note(i, i % 11 == 0 ? LONG_NOTE : i % 300) : Runs.completion(i, rows, ROW_BYTES);
                final byte[] bytes = new byte[rows * ROW_BYTES];
                Arrays.fill(bytes, (byte)i);
                writer.append(i, group, 0, group.capacity(),
                    rows == 0 ? null : new Runs.Slice(new UnsafeBuffer(bytes), 0, rows, ROW_BYTES));
            }
        }
    }

    private static String text(final GroupSource source)
    {
        return source.sequence() + " " + source.timeNanos() + " " + source.records() + " " + source.groups() + " " +
            source.digest() + " " + source.ending() + " " + source.voided() + " " + copy(source.group()) + " " +
            copy(source.rows());
    }

    private static String copy(final DirectBuffer buffer)
    {
        if (buffer == null)
        {
            return "none";
        }
        final byte[] bytes = new byte[buffer.capacity()];
        buffer.getBytes(0, bytes);
        return bytes.length + " " + Arrays.hashCode(bytes);
    }

    private List<String> read(final int processors)
    {
        final List<String> read = new ArrayList<>();
        try (JournalReader reader = JournalReader.open(journal))
        {
            final GroupSource source = ReadAhead.of(reader, processors);
            try
            {
                read.add(source.sequence() + " " + source.records() + " " + source.groups() + " " + source.digest());
                while (source.next())
                {
                    read.add(text(source));
                    assertEquals(source.group().capacity(), source.groupLength());
                }
                read.add(source.records() + " " + source.groups() + " " + source.digest() + " " + source.ending());
                assertFalse(source.next());
            }
            catch (final JournalException e)
            {
                read.add(e.kind() + " " + e.getMessage());
                assertEquals(e.kind(), assertThrows(JournalException.class, source::next).kind());
            }
            finally
            {
                source.stop();
            }
        }
        return read;
    }

    @Test
    void shouldHandOutWhatTheReaderDoes()
    {
        write(700);
        assertTrue(DirectoryFiles.of(journal).segmentCount() > 3);

        final List<String> read = read(1);

        assertEquals(702, read.size());
        assertEquals(read, read(2));
    }

    @Test
    void shouldReadAJournalWithoutGroups()
    {
        write(0);

        assertEquals(2, read(1).size());
        assertEquals(read(1), read(2));
    }

    @Test
    void shouldPassOnAFaultBehindTheGroupsAheadOfIt() throws IOException
    {
        write(400);
        final int segment = DirectoryFiles.of(journal).segmentCount() / 2;
        final Range damaged = Scans.records(DirectoryFiles.of(journal), segment).get(5);
        final Path file = DirectoryFiles.of(journal).dataFile(segment);
        final byte[] bytes = Files.readAllBytes(file);
        bytes[(int)damaged.to() - 1] ^= 1;
        Files.write(file, bytes);

        final List<String> read = read(1);

        assertTrue(read.size() > 100, "groups ahead of the damage");
        assertTrue(read.get(read.size() - 1).startsWith(Kind.CORRUPT_RECORD.name()), read.get(read.size() - 1));
        assertEquals(read, read(2));
    }

    /** The thread ends, also if it waits for a batch; the reader is its owner's again. */
    @Test
    void shouldStopAnywhere()
    {
        write(700);
        for (final int groups : new int[] {0, 1, 10, 350, 700})
        {
            try (JournalReader reader = JournalReader.open(journal))
            {
                final GroupSource ahead = ReadAhead.of(reader, 2);
                for (int i = 0; i < groups; i++)
                {
                    assertTrue(ahead.next());
                }
                assertEquals(groups, ahead.groups());
                assertEquals(Ending.OPEN, ahead.ending());
                ahead.stop();
                ahead.stop();
                shouldLeaveNoThread();
                assertTrue(reader.groups() >= groups);
            }
        }
    }

    @Test
    void shouldReadInOneThreadOnOneCore()
    {
        write(1);
        try (JournalReader reader = JournalReader.open(journal))
        {
            final GroupSource source = ReadAhead.of(reader, 1);
            assertSame(reader, source);
            source.stop();
            assertTrue(reader.next(), "the reader stays open");
        }
    }

    /** A reader that nobody takes groups from stops when its batches are full. */
    @Test
    void shouldReadABoundedNumberOfBytesAhead() throws InterruptedException
    {
        try (JournalWriter writer =
            JournalWriter.create(journal, Runs.settings(), Runs.options(Durability.PROCESS)))
        {
            for (int i = 1; i <= 300; i++)
            {
                final UnsafeBuffer group = Runs.note(i, LONG_NOTE);
                writer.append(i, group, 0, group.capacity(), null);
            }
        }
        final AtomicLong done = new AtomicLong();
        try (JournalReader reader = JournalReader.open(journal, (doneBytes, totalBytes) -> done.set(doneBytes)))
        {
            final GroupSource ahead = ReadAhead.of(reader, 2);
            final Thread thread = Thread.getAllStackTraces().keySet().stream()
                .filter(candidate -> THREAD.equals(candidate.getName())).findAny().orElseThrow();
            while (thread.getState() != Thread.State.WAITING)
            {
                Thread.onSpinWait();
            }
            final long window = 1 << 21;
            assertTrue(done.get() < (long)BatchRing.BATCHES * (GroupBatch.FULL_BYTES + LONG_NOTE) + window, done + " bytes");
            ahead.stop();
        }
    }

    /** As in one thread: an interrupt ends the reading of a file. */
    @Test
    void shouldEndIfItsOwnerIsInterrupted()
    {
        write(700);
        for (int processors = 1; processors <= 2; processors++)
        {
            try (JournalReader reader = JournalReader.open(journal))
            {
                final GroupSource source = ReadAhead.of(reader, processors);
                assertTrue(source.next());
                Thread.currentThread().interrupt();
                final JournalException end = assertThrows(JournalException.class, () -> readOn(source));
                assertEquals(Kind.STORE_FAILED, end.kind());
                source.stop();
                assertTrue(Thread.interrupted(), "the interrupt is kept for the caller");
            }
        }
    }

    private static void readOn(final GroupSource source)
    {
        boolean more = true;
        while (more)
        {
            more = source.next();
        }
    }

    @Test
    void shouldPassOnWhatTheProgressThrows()
    {
        write(700);
        final AssertionError thrown = new AssertionError("of the progress");
        final AtomicBoolean throwsNow = new AtomicBoolean();
        try (JournalReader reader = JournalReader.open(journal, (doneBytes, totalBytes) ->
        {
            if (throwsNow.get())
            {
                throw thrown;
            }
        }))
        {
            throwsNow.set(true);
            final GroupSource ahead = ReadAhead.of(reader, 2);
            assertSame(thrown, assertThrows(AssertionError.class, () -> readOn(ahead)));
            ahead.stop();
        }
    }

    @Test
    void shouldHaveNoRowsWithoutRows()
    {
        write(7);
        try (JournalReader reader = JournalReader.open(journal))
        {
            final GroupSource ahead = ReadAhead.of(reader, 2);
            for (int i = 1; i < 7; i++)
            {
                assertTrue(ahead.next());
                assertNull(ahead.rows());
            }
            assertTrue(ahead.next());
            assertEquals(7 * ROW_BYTES, ahead.rows().capacity());
            ahead.stop();
        }
    }
}
