// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import com.sun.management.ThreadMXBean;
import io.signalbox.ConfigException;
import io.signalbox.journal.disk.FileHoles;
import io.signalbox.journal.segment.DirectoryFiles;
import io.signalbox.journal.segment.ScanEnd;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

final class JournalWriterTest
{
    @TempDir
    Path directory;

    @Test
    void shouldAllocateNothingPerGroup()
    {
        final UnsafeBuffer group = Runs.note(1, 200);
        final int groups = 200_000;
        try (JournalWriter writer = JournalWriter.create(
            directory.resolve("journal"), Runs.settings(), JournalConfig.of(Durability.PROCESS)))
        {
            append(writer, group, groups);
            final long before = allocatedBytes();
            append(writer, group, groups);
            final long each = (allocatedBytes() - before) / groups;
            assertEquals(0, each, "bytes per group");
        }
    }

    private static void append(final JournalWriter writer, final UnsafeBuffer group, final int groups)
    {
        for (int i = 0; i < groups; i++)
        {
            writer.append(i, group, 0, group.capacity(), null);
            writer.endOfBatch();
        }
    }

    /**
     * Mapped memory touches only pages that the page cache has. Otherwise a touch waits until the system has cleared what it
     * reads ahead, which may be megabytes: they then count as data of the file.
     */
    @Test
    void shouldNotLetTheSystemReadAhead()
    {
        final Path journal = directory.resolve("journal");
        try (JournalWriter writer =
            JournalWriter.create(journal, Runs.settings(), JournalConfig.of(Durability.PROCESS)))
        {
            append(writer, Runs.note(1, 4_000), 1_000);
            final Path file = DirectoryFiles.of(journal).dataFile(0);
            final long ahead = FileHoles.dataBytes(file, file.toFile().length()) - writer.bytes();
            assertTrue(ahead < 1 << 20, () -> ahead + " bytes after the last record");
        }
    }

    /** The next segment exists before it is needed. If it is never needed, the closed journal does not have it. */
    @Test
    void shouldRemoveTheExpectedSegmentWhenItCloses()
    {
        final Path journal = directory.resolve("journal");
        try (JournalWriter writer = nearlyFull(journal))
        {
            assertEquals(1, writer.segments());
        }
        assertEquals(1, DirectoryFiles.of(journal).segmentCount());
        assertEquals(Ending.CLOSED, Scans.read(MemoryFiles.copyOf(journal)).ending());
    }

    /** A writer that was killed leaves the next segment. Readers ignore it, and recovery moves it aside. */
    @Test
    void shouldRecoverAJournalWithAnExpectedSegment()
    {
        final Path journal = directory.resolve("journal");
        try (JournalWriter writer = nearlyFull(journal))
        {
            while (DirectoryFiles.of(journal).segmentCount() < 2)
            {
                Thread.onSpinWait();
            }
            final Path killed = KilledCopy.of(journal, directory.resolve("killed"));
            assertEquals(writer.groups(), Scans.read(DirectoryFiles.of(killed)).position().groups());
            JournalRecovery.recover(killed);
            final ScanEnd end = Scans.read(DirectoryFiles.of(killed));
            assertEquals(writer.groups(), end.position().groups());
            assertTrue(end.sealed());
            assertTrue(Files.isDirectory(killed.resolve("segment-00001.cut")));
        }
    }

    /** The next segment is expected, but not needed yet. */
    private static JournalWriter nearlyFull(final Path journal)
    {
        final JournalConfig config = Runs.smallSegments(Durability.PROCESS);
        final JournalWriter writer = JournalWriter.create(journal, Runs.settings(), config);
        while (writer.bytes() < config.segmentBytes() - config.segmentBytes() / 32)
        {
            append(writer, Runs.note(1, 200), 1);
        }
        return writer;
    }

    private static long allocatedBytes()
    {
        return ((ThreadMXBean)ManagementFactory.getThreadMXBean()).getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    @Test
    void shouldCountRecordsBytesGroupsAndSegments()
    {
        try (JournalWriter writer = JournalWriter.create(
            directory.resolve("journal"), Runs.settings(), Runs.options(Durability.BATCH)))
        {
            final long bytes = writer.bytes();
            final UnsafeBuffer group = Runs.completion(1, 100, 1000);
            writer.append(1, group, 0, group.capacity(),
                new Runs.Slice(new UnsafeBuffer(new byte[100_000]), 0, 100, 1000));
            writer.endOfBatch();

            assertEquals(1 + 2 + 1, writer.records());
            assertEquals(1, writer.groups());
            assertTrue(writer.bytes() - bytes > 100_000);
            assertEquals(3, writer.syncedSequence());
            assertEquals(16, writer.digest().length());
        }
    }

    @Test
    void shouldRefuseSizesThatNoJournalCanHave()
    {
        assertThrows(ConfigException.class, () -> new JournalConfig(Durability.PROCESS, 1, 1 << 16));
        assertThrows(ConfigException.class, () -> new JournalConfig(Durability.PROCESS, 1 << 16, 100_000));
    }
}
