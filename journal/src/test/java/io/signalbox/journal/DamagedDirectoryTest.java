// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.disk.LibC;
import io.signalbox.journal.segment.DirectoryFiles;
import io.signalbox.journal.segment.JournalDirectory;
import io.signalbox.scheduler.Scheduler;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Refusals of readers and recovery for a directory that another program changed. */
@Tag("threads")
final class DamagedDirectoryTest
{
    @TempDir
    Path temporary;

    @Test
    void shouldNotAdviseToRemoveAJournalWhoseRecordsAreGone() throws IOException
    {
        final Path journal = closedJournal();
        final Path file = journal.resolve("segment-00000/19700101F.cq4");
        final byte[] whole = Files.readAllBytes(file);
        final int firstRecord = (int)Scans.records(MemoryFiles.copyOf(journal), 0).get(0).from();
        assertTrue(firstRecord > 60_000);
        for (final int length : new int[]{0, 3, 100, 65_535, firstRecord, firstRecord + 100})
        {
            Files.write(file, Arrays.copyOf(whole, length));
            checkNoRecord(journal);
        }
        Files.createDirectories(file.getParent());
        Files.deleteIfExists(file);
        checkNoRecord(journal);
    }

    /** Recovery keeps every byte aside and frees the directory. */
    private static void checkNoRecord(final Path journal) throws IOException
    {
        final JournalException verify = refusalToVerify(journal);
        final JournalException create = assertThrows(JournalException.class,
            () -> Runs.write(journal, 1, Runs.options(Durability.PROCESS)));
        final byte[] before = content(journal.resolve("segment-00000"));
        final JournalRecovery.Recovery recovery = JournalRecovery.recover(journal);

        assertEquals(Kind.NO_RECORD, verify.kind(), verify.getMessage());
        assertTrue(verify.getMessage().startsWith(journal + " holds no whole record"), verify.getMessage());
        assertTrue(verify.getMessage().endsWith("if it ever held one, restore it from a copy."), verify.getMessage());
        assertEquals(Kind.ALREADY_EXISTS, create.kind());
        assertTrue(create.getMessage().contains("'signalbox replay " + journal + " --recover'"), create.getMessage());
        assertEquals(0, recovery.records());
        assertArrayEquals(before, content(recovery.movedAside()));
        assertFalse(Files.exists(journal.resolve("segment-00000")));
        JournalDirectory.requireFree(journal);
        Files.move(recovery.movedAside(), journal.resolve("segment-00000"));
    }

    private static byte[] content(final Path segment) throws IOException
    {
        final Path file = segment.resolve("19700101F.cq4");
        return Files.exists(file) ? Files.readAllBytes(file) : new byte[0];
    }

    @Test
    void shouldBeginWhereAWriterWasStoppedBeforeItsFirstSegment() throws IOException
    {
        final Path journal = Files.createDirectory(temporary.resolve("journal"));
        Files.writeString(journal.resolve("lock"), "123");

        assertTrue(JournalRecovery.recover(journal).nothingToDo());
        Runs.write(journal, 3, Runs.options(Durability.PROCESS));

        assertEquals(4, Scans.read(DirectoryFiles.of(journal)).position().records());
    }

    @Test
    void shouldChangeNothingInADirectoryThatItRefuses() throws IOException
    {
        for (final String name : List.of("notes.txt", "segment-00000", "lock"))
        {
            final Path other = Files.createDirectory(temporary.resolve("with-" + name));
            Files.writeString(other.resolve(name), "mine, of another program");
            final Set<PosixFilePermission> before = PosixFilePermissions.fromString("rwxr-xr-x");
            Files.setPosixFilePermissions(other, before);

            assertThrows(JournalException.class, () -> Runs.write(other, 1, Runs.options(Durability.PROCESS)));

            assertEquals("mine, of another program", Files.readString(other.resolve(name)));
            assertEquals(before, Files.getPosixFilePermissions(other));
            try (Stream<Path> entries = Files.list(other))
            {
                assertEquals(List.of(other.resolve(name)), entries.toList());
            }
        }
    }

    @Test
    void shouldNameTheDirectoryThatHoldsNoJournal() throws IOException
    {
        final JournalException alone = refusalToVerify(temporary);
        closedJournal();
        final JournalException parent = refusalToVerify(temporary);

        assertEquals(Kind.NOT_A_JOURNAL, alone.kind());
        assertTrue(alone.getMessage().startsWith(temporary + " holds no journal segment; "), alone.getMessage());
        assertTrue(parent.getMessage().endsWith("for example " + temporary.resolve("journal") + "."), parent.getMessage());
    }

    @Test
    @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void shouldRefuseAPipeInPlaceOfAFileOfRecords() throws IOException, InterruptedException
    {
        final Path journal = closedJournal();
        final Path file = journal.resolve("segment-00000/19700101F.cq4");
        final Path pipe = temporary.resolve("pipe");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        for (final Path target : List.of(pipe, Path.of("/dev/zero"), temporary))
        {
            Files.delete(file);
            Files.createSymbolicLink(file, target);
            for (final JournalException refusal : List.of(refusalToVerify(journal), refusalToRecover(journal)))
            {
                assertEquals(Kind.FOREIGN_FILE, refusal.kind());
                assertTrue(refusal.getMessage().startsWith(file + " is a "), refusal.getMessage());
            }
        }
    }

    @Test
    @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void shouldRefuseAPipeInPlaceOfASegment() throws IOException, InterruptedException
    {
        final Path journal = closedJournal();
        for (final String name : List.of("segment-00001", "segment-00000"))
        {
            final Path segment = journal.resolve(name);
            if (Files.exists(segment))
            {
                Files.move(segment, temporary.resolve("aside"));
            }
            assertEquals(0, new ProcessBuilder("mkfifo", segment.toString()).start().waitFor());
            for (final JournalException refusal : List.of(refusalToVerify(journal), refusalToRecover(journal)))
            {
                assertEquals(Kind.FOREIGN_FILE, refusal.kind());
                assertTrue(refusal.getMessage().startsWith(segment + " is not a directory"), refusal.getMessage());
            }
            Files.delete(segment);
        }
    }

    @Test
    @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void shouldNotFollowALockThatIsALinkOrAPipe() throws IOException, InterruptedException
    {
        final Path journal = closedJournal();
        final Path lock = journal.resolve("lock");
        final Path important = Files.writeString(temporary.resolve("important"), "keep");
        Files.delete(lock);
        Files.createSymbolicLink(lock, important);
        assertEquals(Kind.FOREIGN_FILE, refusalToRecover(journal).kind());
        Files.delete(lock);
        assertEquals(0, new ProcessBuilder("mkfifo", lock.toString()).start().waitFor());
        assertEquals(Kind.FOREIGN_FILE, refusalToRecover(journal).kind());

        assertEquals("keep", Files.readString(important));
    }

    /** A hole of 100 GB behind the records of a killed writer: it is read in seconds, and none of it is copied. */
    @Test
    @Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void shouldSearchAHugeSparseEndOnlyWhereItHasData() throws IOException
    {
        assumeTrue(LibC.orNull() != null, "this system cannot tell holes");
        final Path journal = openJournal();
        final Path file = journal.resolve("segment-00000/19700101F.cq4");
        try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw"))
        {
            sparse.setLength(100_000_000_000L);
        }
        final Verification verification = JournalVerifier.verify(journal, Scheduler::new);
        assertEquals(Ending.OPEN, verification.ending());
        try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw"))
        {
            sparse.seek(99_000_000_000L);
            sparse.write(7);
        }
        final JournalRecovery.Recovery recovery = JournalRecovery.recover(journal);

        assertEquals(verification.digest(), recovery.digest());
        assertEquals(recovery.cutBytes(), Files.size(recovery.cutFile()));
        assertTrue(recovery.cutBytes() > 98_000_000_000L);
    }

    /** The journal of a killed writer: a copy that is made while the writer has it open. */
    private Path openJournal() throws IOException
    {
        final Path journal = temporary.resolve("written");
        final Path copy = temporary.resolve("killed");
        try (JournalWriter writer = JournalWriter.create(journal, Runs.settings(), Runs.options(Durability.PROCESS)))
        {
            Runs.append(writer, 10);
            Files.createDirectories(copy.resolve("segment-00000"));
            Files.copy(journal.resolve("segment-00000/19700101F.cq4"), copy.resolve("segment-00000/19700101F.cq4"));
        }
        return copy;
    }

    @Test
    void shouldRefuseAFileInPlaceOfASegment() throws IOException
    {
        final Path journal = closedJournal();
        Files.move(journal.resolve("segment-00000"), temporary.resolve("elsewhere"));
        Files.createFile(journal.resolve("segment-00000"));

        for (final JournalException refusal : List.of(refusalToVerify(journal), refusalToRecover(journal)))
        {
            assertEquals(Kind.FOREIGN_FILE, refusal.kind());
            assertTrue(refusal.getMessage().contains("segment-00000 is not a directory"), refusal.getMessage());
            assertFalse(refusal.getMessage().contains("Exception"), refusal.getMessage());
        }
    }

    @Test
    void shouldTouchNothingWhereThereIsNothingToRecover() throws IOException
    {
        final Path journal = closedJournal();
        Files.writeString(journal.resolve("lock"), "1");
        final FileTime before = FileTime.fromMillis(1_000);
        Files.setLastModifiedTime(journal.resolve("lock"), before);

        final JournalRecovery.Recovery recovery = JournalRecovery.recover(journal);

        assertTrue(recovery.nothingToDo());
        assertEquals(11, recovery.records());
        assertEquals("1", Files.readString(journal.resolve("lock")));
        assertEquals(before, Files.getLastModifiedTime(journal.resolve("lock")));
    }

    private Path closedJournal()
    {
        final Path journal = temporary.resolve("journal");
        Runs.write(journal, 10, Runs.options(Durability.PROCESS));
        return journal;
    }

    private static JournalException refusalToVerify(final Path journal)
    {
        return assertThrows(JournalException.class, () -> JournalVerifier.verify(journal, Scheduler::new));
    }

    private static JournalException refusalToRecover(final Path journal)
    {
        return assertThrows(JournalException.class, () -> JournalRecovery.recover(journal));
    }
}
