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
import java.util.stream.Collectors;
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
    private static final double LEAST_WAITS = 0.05;
    private static final String MAIN = "java";
    private static final Path THREADS = Path.of("/proc/self/task");

    private final OperatingSystemMXBean system =
        (OperatingSystemMXBean)ManagementFactory.getOperatingSystemMXBean();
    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final Map<Long, Long> threadNanos = new TreeMap<>();
    private long cpuNanos;
    private Map<Path, Long> waits = Map.of();

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

    /** How often threads gave their core up to wait, divided by a count: all, then by thread; Linux only. */
    String blockedWaits(final long count)
    {
        final Map<String, Long> byThread = new TreeMap<>();
        long all = 0;
        for (final Map.Entry<Path, Long> thread : waits().entrySet())
        {
            final long blocked = thread.getValue() - waits.getOrDefault(thread.getKey(), 0L);
            all += blocked;
            byThread.merge(nameOf(thread.getKey()), blocked, Long::sum);
        }
        final List<String> parts = new ArrayList<>();
        byThread.forEach((name, blocked) ->
        {
            if (blocked >= LEAST_WAITS * count)
            {
                parts.add(String.format(Locale.ROOT, "%s %.1f", name, (double)blocked / count));
            }
        });
        return String.format(Locale.ROOT, "%.1f: %s", (double)all / count, String.join(", ", parts));
    }

    /** By the thread's directory. */
    private static Map<Path, Long> waits()
    {
        if (!Files.isDirectory(THREADS))
        {
            return Map.of();
        }
        try (Stream<Path> threads = Files.list(THREADS))
        {
            return threads.collect(Collectors.toMap(thread -> thread, ProcessCost::waitsOf));
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    /** Linux cuts names after 15 bytes; the thread that sends is the JVM's main thread. */
    private static String nameOf(final Path thread)
    {
        try
        {
            final String name = Files.readString(thread.resolve("comm")).strip();
            return name.startsWith(ENGINE) ? name.substring(ENGINE.length()) : name.equals(MAIN) ? "sender" : name;
        }
        catch (final IOException e)
        {
            return "ended";
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
