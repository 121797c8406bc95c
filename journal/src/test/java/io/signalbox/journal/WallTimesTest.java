// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.segment.DirectoryFiles;
import io.signalbox.journal.segment.Envelope;
import io.signalbox.journal.segment.SegmentWalker;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import java.util.zip.CRC32C;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Logical times by wall times, in a journal of several segments whose records were written a second after each other. */
class WallTimesTest
{
    private static final Instant BEGAN = Instant.parse("2026-11-23T23:59:00Z");
    private static final int GROUPS = 2000;
    @TempDir
    private Path directory;
    private Path journal;
    /** Logical times of all records, seals and continuations included, in their order. */
    private final List<Long> logical = new ArrayList<>();
    private int segments;

    @BeforeEach
    void write() throws IOException
    {
        write(record -> BEGAN.plusSeconds(record));
    }

    private void write(final IntFunction<Instant> clock) throws IOException
    {
        logical.clear();
        journal = Files.createTempDirectory(directory, "run").resolve("journal");
        Runs.write(journal, GROUPS, Runs.smallSegments(Durability.PROCESS));
        final DirectoryFiles files = DirectoryFiles.of(journal);
        segments = files.segmentCount();
        for (int segment = 0; segment < segments; segment++)
        {
            final byte[] bytes = Files.readAllBytes(files.dataFile(segment));
            for (final Scans.Range range : Scans.records(files, segment))
            {
                final int start = (int)range.from() + SegmentWalker.HEADER_BYTES;
                final int length = Envelope.totalLength(bytes, start);
                final byte[] record = Arrays.copyOfRange(bytes, start, start + length);
                final Instant wall = clock.apply(logical.size());
                Envelope.putCircumstances(record, wall.getEpochSecond() * 1_000_000_000L,
                    Envelope.syncedSequence(record, 0), Envelope.place(record, 0));
                Envelope.putCrc(record, length, new CRC32C());
                System.arraycopy(record, 0, bytes, start, length);
                logical.add(Envelope.logicalTimeNanos(record, 0));
            }
            Files.write(files.dataFile(segment), bytes);
        }
        Scans.read(DirectoryFiles.of(journal));
    }

    @Test
    void shouldFindTheFirstRecordFromAWallTimeOn()
    {
        final WallTimes times = WallTimes.of(journal);

        assertTrue(segments > 3, segments + " segments");
        assertEquals(BEGAN, times.first());
        assertEquals(BEGAN.plusSeconds(logical.size() - 1), times.last());
        for (int record = 1; record < logical.size(); record += 7)
        {
            final Instant wall = BEGAN.plusSeconds(record);
            assertEquals(logical.get(record), times.logicalNanos(wall), "record " + record);
            assertEquals(logical.get(record), times.logicalNanos(wall.minusMillis(999)), "ahead of record " + record);
        }
    }

    /** After 1,000 s the clock was set back by ten minutes, so 600 s came twice. */
    @Test
    void shouldFindTheLaterOccurrenceIfTheClockWasSetBack() throws IOException
    {
        write(record -> BEGAN.plusSeconds(record < 1000 ? record : record - 600));
        final WallTimes times = WallTimes.of(journal);

        assertEquals(BEGAN, times.first());
        assertEquals(BEGAN.plusSeconds(logical.size() - 601), times.last());
        assertEquals(logical.get(399), times.logicalNanos(BEGAN.plusSeconds(399)));
        assertEquals(logical.get(1001), times.logicalNanos(BEGAN.plusSeconds(401)));
        assertEquals(logical.get(1300), times.logicalNanos(BEGAN.plusSeconds(700)));
        assertEquals(logical.get(1700), times.logicalNanos(BEGAN.plusSeconds(1100)));
    }

    /** If the first records of a journal have a later time than its last records, an error names the right times. */
    @Test
    void shouldBeginWithTheEarliestTimeIfTheClockWasSetBackPastTheFirst() throws IOException
    {
        write(record -> record < 5 ? BEGAN.plusSeconds(record) : BEGAN.plusSeconds(record - 36_000));
        final WallTimes times = WallTimes.of(journal);

        assertEquals(BEGAN.plusSeconds(5 - 36_000), times.first());
        assertEquals(BEGAN.plusSeconds(logical.size() - 1 - 36_000), times.last());
        assertEquals(Long.MIN_VALUE, times.logicalNanos(times.first()));
        assertEquals(logical.get(900), times.logicalNanos(BEGAN.plusSeconds(900 - 36_000)));
        assertEquals(Long.MAX_VALUE, times.logicalNanos(BEGAN));
    }

    @Test
    void shouldSayThatTheJournalBeginsLaterOrEndsBefore()
    {
        final WallTimes times = WallTimes.of(journal);

        assertEquals(Long.MIN_VALUE, times.logicalNanos(BEGAN));
        assertEquals(Long.MIN_VALUE, times.logicalNanos(Instant.EPOCH));
        assertEquals(Long.MAX_VALUE, times.logicalNanos(times.last().plusNanos(1)));
        assertEquals(Long.MAX_VALUE, times.logicalNanos(Instant.parse("2126-01-01T00:00:00Z")));
    }

    @Test
    void shouldRefuseADirectoryWithoutAJournal() throws IOException
    {
        final Path empty = Files.createDirectory(directory.resolve("empty"));

        assertEquals(JournalException.Kind.NOT_A_JOURNAL,
            assertThrows(JournalException.class, () -> WallTimes.of(empty)).kind());
    }

    @Test
    void shouldReadAheadOfATornTail() throws IOException
    {
        final DirectoryFiles files = DirectoryFiles.of(journal);
        final List<Scans.Range> records = Scans.records(files, segments - 1);
        final byte[] bytes = Files.readAllBytes(files.dataFile(segments - 1));
        Files.write(files.dataFile(segments - 1),
            Arrays.copyOf(bytes, (int)records.get(records.size() - 1).from() + 9));

        final WallTimes times = WallTimes.of(journal);
        assertEquals(BEGAN.plusSeconds(logical.size() - 2), times.last());
        assertEquals(logical.get(logical.size() - 2), times.logicalNanos(times.last()));
    }
}
