// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import com.sun.management.ThreadMXBean;
import io.signalbox.ConfigException;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.lang.management.ManagementFactory;
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
