// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.restart;

import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.event.InputWriter;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.journal.DirectoryJournal;
import io.signalbox.journal.Durability;
import io.signalbox.journal.Ending;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.JournalException;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.JournalRecovery;
import io.signalbox.journal.JournalVerifier;
import io.signalbox.journal.KilledCopy;
import io.signalbox.journal.Verification;
import io.signalbox.scheduler.Scheduler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Journals that fill real file systems in loop devices: the journal is sealed, and the full disk is named. */
final class RealDiskTest
{
    private static final boolean FULL = "full".equals(System.getProperty("signalbox.tests"));
    private static final int MOST_NOTES = 1_000_000;
    private static final int NOTE_BYTES = 700;
    /** With a sync after each note. */
    private static final int SYNCED_NOTE_BYTES = 30_000;
    /** The smallest XFS. */
    private static final int XFS_MEBIBYTES = 300;
    private static final JournalConfig ONE_SEGMENT = JournalConfig.of(Durability.PROCESS);

    private static final JournalConfig SHORT_FILE = new JournalConfig(Durability.PROCESS, 1L << 30, 1L << 20);

    @TempDir
    private Path directory;
    private long nanos;

    /**
     * A file system that a journal fills.
     *
     * @param mebibytes free at the beginning; an XFS is larger, and another file has the rest.
     */
    record Disk(String type, int mebibytes, Durability durability, long segmentBytes)
    {
        Disk(final String type, final int mebibytes)
        {
            this(type, mebibytes, Durability.PROCESS, ONE_SEGMENT.segmentBytes());
        }

        SmallDisk mount(final Path directory) throws Exception
        {
            if (!type.equals("xfs"))
            {
                return SmallDisk.mount(directory, type, mebibytes);
            }
            final SmallDisk disk = SmallDisk.mount(directory, type, XFS_MEBIBYTES);
            disk.fillUpTo((long)mebibytes << 20);
            return disk;
        }
    }

    static List<Disk> disks()
    {
        final List<Disk> disks = new ArrayList<>(List.of(
            new Disk("tmpfs", 23),
            new Disk("ext4", 31),
            new Disk("ext4 with blocks of 1 KiB", 40),
            new Disk("ext4", 33, Durability.BATCH, 4L << 20),
            new Disk("ext2, which reserves no blocks", 21),
            new Disk("xfs", 27)));
        for (int mebibytes = 20; FULL && mebibytes <= 60; mebibytes += 3)
        {
            for (final String type : List.of("tmpfs", "ext4", "ext4 with blocks of 1 KiB", "xfs"))
            {
                disks.add(new Disk(type, mebibytes));
                disks.add(new Disk(type, mebibytes, Durability.BATCH, 1L << 20));
            }
        }
        return disks;
    }

    private SteppedEngine engine(final Path journal, final JournalConfig config)
    {
        return new SteppedEngine(new EngineConfig().scheduler(Incarnation.config(1).build())
            .backend(new ContentBackend(1, false)).clock(() -> nanos += 1_000)
            .runJournal(new DirectoryJournal(journal, config)));
    }

    private void notes(final SteppedEngine engine, final int notes, final int noteBytes)
    {
        final String note = "a".repeat(noteBytes);
        for (int i = 0; i < notes; i++)
        {
            final InputWriter writer = new InputWriter();
            writer.control().timeNanos(nanos += 1_000).requestId(-1).kind(ControlKind.NOTE).note(note);
            engine.offer(writer.buffer(), 0, writer.length(), null);
        }
    }

    private String fill(final Path journal, final JournalConfig config)
    {
        try (SteppedEngine engine = engine(journal, config))
        {
            return assertThrows(RuntimeException.class, () -> notes(engine, MOST_NOTES,
                config.durability() == Durability.PROCESS ? NOTE_BYTES : SYNCED_NOTE_BYTES)).getMessage();
        }
    }

    private static void assertSealed(final Path journal)
    {
        final Verification verification = JournalVerifier.verify(journal, Scheduler::new);
        assertTrue(verification.matches(), String.valueOf(verification.difference()));
        assertEquals(Ending.DISK_FULL, verification.ending());
    }

    @ParameterizedTest
    @MethodSource("disks")
    void shouldSealTheJournalAndNameTheFullDisk(final Disk kind) throws Exception
    {
        try (SmallDisk disk = kind.mount(directory))
        {
            final Path journal = disk.path().resolve("journal");
            final String message = fill(
                journal, new JournalConfig(kind.durability(), kind.segmentBytes(), ONE_SEGMENT.blockBytes()));

            assertTrue(message.contains("has no room for the next"), message);
            assertSealed(journal);
        }
    }

    /** A segment needs a directory and two files. */
    @Test
    void shouldSealTheJournalIfTheInodesAreUsedUp() throws Exception
    {
        try (SmallDisk disk = SmallDisk.mount(directory, "ext4 with few inodes", 64))
        {
            final Path journal = disk.path().resolve("journal");
            try (SteppedEngine engine = engine(journal, ONE_SEGMENT.withSegmentBytes(1L << 20)))
            {
                useInodes(disk.path());
                final String message =
                    assertThrows(RuntimeException.class, () -> notes(engine, MOST_NOTES, NOTE_BYTES)).getMessage();
                assertTrue(message.contains("its inodes are used up"), message);
            }
            assertSealed(journal);
        }
    }

    private static void useInodes(final Path path)
    {
        assertThrows(IOException.class, () ->
        {
            for (int i = 0; i < 1_000; i++)
            {
                Files.createFile(path.resolve("file-" + i));
            }
        });
    }

    /** The writer was killed, and another process has filled the disk since then. */
    @ParameterizedTest
    @MethodSource("typesToRecoverOn")
    void shouldRecoverOnADiskThatIsStillFullOrNameTheRoom(final String type, final int leftBytes) throws Exception
    {
        try (SmallDisk disk = SmallDisk.mount(directory, type, 24))
        {
            final Path journal = disk.path().resolve("journal");
            try (SteppedEngine engine = engine(directory.resolve("running"), SHORT_FILE))
            {
                notes(engine, 1_000, NOTE_BYTES);
                KilledCopy.of(directory.resolve("running"), journal);
            }
            disk.fillUpTo(leftBytes);
            if (leftBytes == 0)
            {
                final JournalException full =
                    assertThrows(JournalException.class, () -> JournalRecovery.recover(journal));
                assertEquals(Kind.DISK_FULL, full.kind(), full.getMessage());
                disk.free();
            }
            JournalRecovery.recover(journal);
            final Verification verification = JournalVerifier.verify(journal, Scheduler::new);
            assertTrue(verification.matches(), String.valueOf(verification.difference()));
            assertEquals(Ending.RECOVERED, verification.ending());
            assertTrue(verification.groups() >= 1_000, verification.groups() + " groups");
        }
    }

    static List<Object[]> typesToRecoverOn()
    {
        final List<Object[]> cases = new ArrayList<>();
        for (final String type : List.of("tmpfs", "ext4", "ext4 with blocks of 1 KiB"))
        {
            cases.add(new Object[] {type, 0});
            cases.add(new Object[] {type, 1 << 20});
        }
        return cases;
    }
}
