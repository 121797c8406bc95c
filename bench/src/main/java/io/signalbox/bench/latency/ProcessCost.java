// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench.latency;

import com.sun.management.OperatingSystemMXBean;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * CPU time of this process and blocked waits of its live threads, counted from {@link #begin}. Unlike times they hardly
 * depend on what else the machine does.
 */
final class ProcessCost
{
    private static final String BLOCKED_WAITS = "voluntary_ctxt_switches:";
    private static final Path THREADS = Path.of("/proc/self/task");

    private final OperatingSystemMXBean system =
        (OperatingSystemMXBean)ManagementFactory.getOperatingSystemMXBean();
    private long cpuNanos;
    private long waits;

    ProcessCost begin()
    {
        cpuNanos = system.getProcessCpuTime();
        waits = waits();
        return this;
    }

    double cpuMicros()
    {
        return (system.getProcessCpuTime() - cpuNanos) / 1e3;
    }

    /** How often a thread gave its core up to wait; 0 on other systems than Linux. */
    long blockedWaits()
    {
        return waits() - waits;
    }

    private static long waits()
    {
        if (!Files.isDirectory(THREADS))
        {
            return 0;
        }
        try (Stream<Path> threads = Files.list(THREADS))
        {
            return threads.mapToLong(ProcessCost::waitsOf).sum();
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    private static long waitsOf(final Path thread)
    {
        final List<String> lines;
        try
        {
            lines = Files.readAllLines(thread.resolve("status"));
        }
        catch (final IOException e)
        {
            // The thread has ended.
            return 0;
        }
        return lines.stream().filter(line -> line.startsWith(BLOCKED_WAITS))
            .mapToLong(line -> Long.parseLong(line.substring(BLOCKED_WAITS.length()).strip())).sum();
    }
}
