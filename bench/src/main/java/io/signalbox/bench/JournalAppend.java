// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.JournalWriter;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.RollCycles;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.wire.DocumentContext;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Appends groups to a journal, durability PROCESS, against a raw Chronicle Queue that is given the same number of bytes
 * per record, the envelope included. Group sizes: a decode step of few requests, and one of about a hundred.
 */
public final class JournalAppend
{
    private static final int ENVELOPE_BYTES = 64;
    private static final int OPERATIONS = 200_000;
    private static final int WARMUPS = 3;
    private static final int ROUNDS = 9;

    private JournalAppend()
    {
    }

    public static void main(final String[] arguments) throws IOException
    {
        for (final int groupBytes : new int[] {256, 4096})
        {
            final Path directory = Files.createTempDirectory("signalbox-bench");
            try
            {
                compare(groupBytes, directory);
            }
            finally
            {
                delete(directory);
            }
        }
    }

    private static void compare(final int groupBytes, final Path directory)
    {
        final int operations = groupBytes > 1024 ? OPERATIONS / 8 : OPERATIONS;
        final UnsafeBuffer group = new UnsafeBuffer(new byte[groupBytes]);
        final byte[] record = new byte[groupBytes + ENVELOPE_BYTES];
        final long blockBytes = 1L << 26;
        try (JournalWriter journal = JournalWriter.create(directory.resolve("journal"), Map.of(),
                new JournalConfig(Durability.PROCESS, 1L << 38, blockBytes));
            SingleChronicleQueue queue = SingleChronicleQueueBuilder.binary(directory.resolve("raw"))
                .rollCycle(RollCycles.FAST_DAILY).blockSize(blockBytes).build();
            ExcerptAppender appender = queue.createAppender())
        {
            Interleaved.compare("append a group of " + groupBytes + " bytes", WARMUPS, ROUNDS, operations,
                () -> appendGroups(journal, group, operations), () -> appendRaw(appender, record, operations));
        }
    }

    private static long appendGroups(final JournalWriter journal, final UnsafeBuffer group, final int operations)
    {
        final long start = System.nanoTime();
        for (int i = 0; i < operations; i++)
        {
            group.putLong(0, i);
            journal.append(i, group, 0, group.capacity(), null);
        }
        return System.nanoTime() - start;
    }

    private static long appendRaw(final ExcerptAppender appender, final byte[] record, final int operations)
    {
        final long start = System.nanoTime();
        for (int i = 0; i < operations; i++)
        {
            record[0] = (byte)i;
            try (DocumentContext document = appender.writingDocument())
            {
                document.wire().bytes().write(record, 0, record.length);
            }
        }
        return System.nanoTime() - start;
    }

    public static void delete(final Path directory) throws IOException
    {
        final List<Path> paths;
        try (Stream<Path> walk = Files.walk(directory))
        {
            paths = walk.sorted(Comparator.reverseOrder()).toList();
        }
        for (final Path path : paths)
        {
            Files.delete(path);
        }
    }
}
