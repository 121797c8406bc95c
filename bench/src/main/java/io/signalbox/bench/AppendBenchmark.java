// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.JournalWriter;
import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Appends a group to a journal, durability PROCESS. {@link JournalAppend} has the time beside that of a raw queue. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class AppendBenchmark
{
    @Param({"256", "4096"})
    public int groupBytes;

    private UnsafeBuffer group;
    private JournalWriter journal;
    private Path directory;
    private long appended;

    @Setup
    public void setUp() throws IOException
    {
        group = new UnsafeBuffer(new byte[groupBytes]);
        directory = Files.createTempDirectory("signalbox-bench");
        journal = JournalWriter.create(
            directory.resolve("journal"), Map.of(), new JournalConfig(Durability.PROCESS, 1L << 38, 1L << 26));
    }

    @TearDown
    public void tearDown() throws IOException
    {
        journal.close();
        JournalAppend.delete(directory);
    }

    @Benchmark
    public void append()
    {
        group.putLong(0, appended);
        journal.append(appended++, group, 0, groupBytes, null);
    }
}
