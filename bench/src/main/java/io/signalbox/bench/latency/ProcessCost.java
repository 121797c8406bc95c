// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench.latency;

import com.sun.management.OperatingSystemMXBean;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * CPU time of this process and blocked waits of its live threads, counted from {@link #begin}. Unlike times they hardly
 * depend on what else the machine does.
 */
final class ProcessCost
{
    private static final String BLOCKED_WAITS = "voluntary_ctxt_switches:";
    private static final String ENGINE = "signalbox-";
    private static final double LEAST_NANOS = 50;
    private static final Path THREADS = Path.of("/proc/self/task");

    private final OperatingSystemMXBean system =
        (OperatingSystemMXBean)ManagementFactory.getOperatingSystemMXBean();
    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final Map<Long, Long> threadNanos = new TreeMap<>();
    private long cpuNanos;
    private long waits;

    ProcessCost begin()
    {
        cpuNanos = system.getProcessCpuTime();
        waits = waits();
        threadNanos.clear();
        for (final long thread : threads.getAllThreadIds())
        {
            threadNanos.put(thread, threads.getThreadCpuTime(thread));
        }
        return this;
    }

    /** CPU time by thread, of the current one and those of the engine, divided by a count. */
    String threadMicros(final long count)
    {
        final List<String> parts = new ArrayList<>();
        for (final Map.Entry<Long, Long> thread : threadNanos.entrySet())
        {
            final ThreadInfo info = threads.getThreadInfo(thread.getKey());
            final boolean current = thread.getKey() == Thread.currentThread().getId();
            if (info != null && (current || info.getThreadName().startsWith(ENGINE)))
            {
                final double nanos = (double)(threads.getThreadCpuTime(thread.getKey()) - thread.getValue()) / count;
                if (nanos >= LEAST_NANOS)
                {
                    parts.add(String.format(Locale.ROOT, "%s %.1f",
                        current ? "sender" : info.getThreadName().substring(ENGINE.length()), nanos / 1e3));
                }
            }
        }
        return String.join(", ", parts);
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
