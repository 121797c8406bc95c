// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.TestStrength;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.segment.DirectoryFiles;
import io.signalbox.journal.segment.SealedSegments;
import io.signalbox.journal.segment.SegmentName;
import io.signalbox.journal.segment.SegmentSums;
import io.signalbox.scheduler.Scheduler;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A sealed segment has checksums of all its bytes; they are made again if they are missing, and never trusted too far. */
class SealedSegmentsTest
{
    private static final int GROUPS = 2_000;

    @TempDir
    private Path directory;
    private Path journal;
    private int segments;

    @BeforeEach
    void write()
    {
        journal = directory.resolve("journal");
        EndedRuns.write(journal, GROUPS);
        segments = DirectoryFiles.of(journal).segmentCount();
        assertTrue(segments > 4, () -> segments + " segments");
    }

    private Path sums(final int segment)
    {
        return journal.resolve(SegmentName.sumsOf(segment));
    }

    private SealedSegments.SegmentCheck check()
    {
        return SealedSegments.check(journal, segments - 1, ReadProgress.NONE);
    }

    private Path dataFile(final int segment)
    {
        return DirectoryFiles.of(journal).dataFile(segment);
    }

    @Test
    void shouldWriteChecksumsOfEachSegmentButTheLast()
    {
        for (int segment = 0; segment < segments; segment++)
        {
            assertEquals(segment < segments - 1, Files.exists(sums(segment)), "segment " + segment);
        }
        final SealedSegments.SegmentCheck found = check();
        assertEquals(segments - 1, found.segments());
        assertTrue(found.bytes() > (segments - 1) * 65_536L);
        assertEquals(0, found.unchecked().size());
        assertTrue(JournalVerifier.verify(journal, Scheduler::new).matches());
    }

    /** Each byte in its turn, each length: such a file is as good as none, and nothing is said of the segment. */
    @Test
    void shouldNotUseChecksumsThatAreDamaged() throws IOException
    {
        final byte[] whole = Files.readAllBytes(sums(1));
        for (int i = 0; i < whole.length; i++)
        {
            final byte[] damaged = whole.clone();
            damaged[i] ^= (byte)(1 << i % Byte.SIZE);
            Files.write(sums(1), damaged);
            assertNull(SegmentSums.readOrNull(journal, 1), "byte " + i);
            Files.write(sums(1), Arrays.copyOf(whole, i));
            assertNull(SegmentSums.readOrNull(journal, 1), "length " + i);
        }
        final SealedSegments.SegmentCheck found = check();
        assertEquals(segments - 2, found.segments());
        assertEquals(1, found.unchecked().size());
        assertTrue(found.unchecked().get(0).contains("segment-00001 has no checksums"), found.unchecked()::toString);
        Files.write(sums(1), Files.readAllBytes(sums(2)));
        assertNull(SegmentSums.readOrNull(journal, 1), "those of another segment");
        Files.write(sums(1), whole);
        assertNotNull(SegmentSums.readOrNull(journal, 1));
    }

    /** A flipped bit anywhere, Chronicle's own documents and padding included, is named with its piece. */
    @Test
    void shouldNameThePieceOfADamagedSegment() throws IOException
    {
        final Path file = dataFile(1);
        final byte[] whole = Files.readAllBytes(file);
        final long covered = SegmentSums.readOrNull(journal, 1).coveredBytes();
        for (int at = 3; at < covered; at += TestStrength.count(4_999, 97))
        {
            final byte[] damaged = whole.clone();
            damaged[at] ^= 4;
            Files.write(file, damaged);
            final JournalException refused = assertThrows(JournalException.class, this::check);
            assertEquals(Kind.CORRUPT_RECORD, refused.kind());
            assertEquals(1, refused.segment());
            assertEquals((long)at / SegmentSums.PIECE_BYTES * SegmentSums.PIECE_BYTES, refused.offset());
            assertTrue(refused.getMessage().contains("restore the file from a copy"), refused::getMessage);
        }
        Files.write(file, Arrays.copyOf(whole, 70_000));
        final JournalException cut = assertThrows(JournalException.class, this::check);
        assertTrue(cut.getMessage().contains(", bytes 65536 to "), cut::getMessage);
        Files.write(file, whole);
        check();
    }

    @Test
    void shouldRefuseToVerifyBehindASnapshotIfASegmentAheadOfItIsDamaged() throws IOException
    {
        EndedRuns.snapshots(journal, GROUPS);
        assertEquals(segments - 1,
            JournalVerifier.verifyBehindSnapshot(journal, EndedRuns.ROUTERS, ReadProgress.NONE).checkedSegments());
        final Path file = dataFile(2);
        final byte[] bytes = Files.readAllBytes(file);
        bytes[30_000] ^= 1;
        Files.write(file, bytes);
        final JournalException refused = assertThrows(JournalException.class,
            () -> JournalVerifier.verifyBehindSnapshot(journal, EndedRuns.ROUTERS, ReadProgress.NONE));
        assertEquals(2, refused.segment());
        Files.delete(file);
        assertEquals(Kind.MISSING_SEGMENT, assertThrows(JournalException.class,
            () -> JournalVerifier.verifyBehindSnapshot(journal, EndedRuns.ROUTERS, ReadProgress.NONE)).kind());
    }

    /** Killed between seal and rename: the next engine, and recovery, write what is missing, and the same bytes. */
    @Test
    void shouldWriteMissingChecksumsWhenTheRunIsContinued() throws IOException
    {
        final byte[] first = Files.readAllBytes(sums(0));
        Files.delete(sums(0));
        Files.write(sums(1), new byte[10]);
        Files.write(journal.resolve(SegmentName.sumsOf(2) + ".part"), new byte[10]);
        try (ContinuedRun run =
            (ContinuedRun)new DirectoryJournal(journal, EndedRuns.CONFIG).open(Runs.settings()))
        {
            run.replay(new Scheduler(Runs.CONFIG), (group, offset, length) -> { });
            run.journal().close();
        }
        assertArrayEquals(first, Files.readAllBytes(sums(0)));
        assertFalse(Files.exists(journal.resolve(SegmentName.sumsOf(2) + ".part")));
        segments++;
        assertEquals(segments - 1, check().segments());
        assertTrue(JournalVerifier.verify(journal, Scheduler::new).matches());
    }

    @Test
    void shouldWriteMissingChecksumsInARecovery() throws IOException
    {
        final Path open = directory.resolve("open");
        try (JournalWriter writer = JournalWriter.create(open, Runs.settings(), EndedRuns.CONFIG))
        {
            EndedRuns.append(writer, new Scheduler(Runs.CONFIG), 0, GROUPS);
            KilledCopy.of(open, directory.resolve("killed"));
        }
        journal = directory.resolve("killed");
        Files.deleteIfExists(sums(0));
        JournalRecovery.recover(journal);
        assertNotNull(SegmentSums.readOrNull(journal, 0));
        assertTrue(JournalVerifier.verify(journal, Scheduler::new).matches());
    }

    /** Checksums that cannot be written cost the run nothing. */
    @Test
    void shouldWriteOnIfChecksumsCannotBeWritten() throws IOException
    {
        final Path blocked = directory.resolve("blocked");
        try (JournalWriter writer = JournalWriter.create(blocked, Runs.settings(), EndedRuns.CONFIG))
        {
            Files.createDirectories(blocked.resolve(SegmentName.sumsOf(0) + ".part").resolve("inner"));
            EndedRuns.append(writer, new Scheduler(Runs.CONFIG), 0, GROUPS);
        }
        journal = blocked;
        assertTrue(JournalVerifier.verify(journal, Scheduler::new).matches());
        final SealedSegments.SegmentCheck found = check();
        assertEquals(segments - 2, found.segments());
        assertEquals(1, found.unchecked().size());
    }
}
