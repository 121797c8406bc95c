// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

import io.signalbox.event.CompletionView;
import io.signalbox.event.EventReader;
import io.signalbox.experts.ModelShape;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.JournalReader;
import io.signalbox.journal.JournalWriter;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Appends the groups of a journal with their rows to new journals, with packed rows and with rows as they are, by turns: the
 * CPU time and the length of the records. Durability PROCESS.
 */
public final class RowAppend
{
    private static final int ROUNDS = 9;
    private static final int WARMUPS = 2;
    private static final int MOST_GROUPS = 400_000;
    /** Other programs use the machine as well. */
    private static final ThreadMXBean CPU = ManagementFactory.getThreadMXBean();
    private static final long MOST_BYTES = 1L << 30;

    private record Group(long timeNanos, UnsafeBuffer bytes, Rows rows)
    {
    }

    private record Rows(DirectBuffer buffer, int rowCount, int rowBytes) implements CaptureSlice
    {
        @Override
        public int offset()
        {
            return 0;
        }

        @Override
        public void release()
        {
            // Heap memory that is used again.
        }
    }

    private RowAppend()
    {
    }

    public static void main(final String[] arguments) throws IOException
    {
        if (arguments.length != 2)
        {
            System.err.println("give a journal with rows, and a directory for new ones.");
            System.exit(2);
        }
        final List<Group> groups = new ArrayList<>();
        final Map<String, String> settings = read(Path.of(arguments[0]), groups);
        final long tokens = groups.stream().mapToLong(group -> group.rows == null ? 0 : group.rows.rowCount()).sum();
        final boolean[] forms = {false, true};
        final double[][] nanos = new double[2][ROUNDS];
        final double[] bytes = new double[2];
        for (int round = -WARMUPS; round < ROUNDS; round++)
        {
            for (int i = 0; i < 2; i++)
            {
                final Path directory = Files.createTempDirectory(Path.of(arguments[1]), "signalbox-bench");
                final long start = CPU.getCurrentThreadCpuTime();
                bytes[i] = append(directory.resolve("journal"), settings, groups, forms[i]);
                final double taken = CPU.getCurrentThreadCpuTime() - start;
                JournalAppend.delete(directory);
                if (round >= 0)
                {
                    nanos[i][round] = taken;
                }
            }
        }
        System.out.printf(Locale.ROOT, "%d groups, %d tokens with rows of %s bytes beside their groups%n", groups.size(),
            tokens, ModelShape.of(settings).rowBytes());
        for (int i = 0; i < 2; i++)
        {
            final double median = Interleaved.median(nanos[i]);
            System.out.printf(Locale.ROOT,
                "%-14s %8.1f ms  %8.1f ns/group  %6.0f MB/s of rows and groups as they are  %,d bytes%n",
                forms[i] ? "packed" : "as they are", median / 1e6, median / groups.size(), bytes[0] / median * 1e3,
                (long)bytes[i]);
        }
    }

    private static Map<String, String> read(final Path journal, final List<Group> groups)
    {
        try (JournalReader reader = JournalReader.open(journal))
        {
            final int[] counts = new int[2];
            final EventReader completions = new EventReader()
            {
                @Override
                protected void onD2hComplete(final CompletionView completion)
                {
                    counts[0] = completion.rowCount();
                    counts[1] = completion.rowBytes();
                }
            };
            long bytes = 0;
            while (groups.size() < MOST_GROUPS && bytes < MOST_BYTES && reader.next())
            {
                final UnsafeBuffer group = new UnsafeBuffer(new byte[reader.groupLength()]);
                group.putBytes(0, reader.group(), 0, reader.groupLength());
                Rows rows = null;
                if (reader.rows() != null)
                {
                    final UnsafeBuffer copy = new UnsafeBuffer(new byte[reader.rowsLength()]);
                    copy.putBytes(0, reader.rows(), 0, reader.rowsLength());
                    completions.readGroup(group, 0, group.capacity());
                    rows = new Rows(copy, counts[0], counts[1]);
                }
                groups.add(new Group(reader.timeNanos(), group, rows));
                bytes += reader.groupLength() + reader.rowsLength();
            }
            return reader.settings();
        }
    }

    private static double append(
        final Path directory, final Map<String, String> settings, final List<Group> groups, final boolean packs)
    {
        try (JournalWriter writer = JournalWriter.create(
            directory, settings, JournalConfig.of(Durability.PROCESS).withPacksRows(packs)))
        {
            for (final Group group : groups)
            {
                writer.append(group.timeNanos, group.bytes, 0, group.bytes.capacity(), group.rows);
            }
            return writer.bytes();
        }
    }
}
