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
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * CPU time of this process, blocked waits and page faults of its live threads, counted from {@link #begin}. Unlike times
 * they hardly depend on what else the machine does.
 */
final class ProcessCost
{
    private static final String BLOCKED_WAITS = "voluntary_ctxt_switches:";
    /** Fields of a thread's stat file after its name: page faults without and with reads from the disk. */
    private static final int MINOR_FAULTS = 7;
    private static final int MAJOR_FAULTS = 9;
    private static final String ENGINE = "signalbox-";
    private static final double LEAST_NANOS = 50;
    private static final double LEAST_WAITS = 0.05;
    private static final double LEAST_FAULTS = 0.005;
    private static final String MAIN = "java";
    private static final Path THREADS = Path.of("/proc/self/task");

    private final OperatingSystemMXBean system =
        (OperatingSystemMXBean)ManagementFactory.getOperatingSystemMXBean();
    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final Map<Long, Long> threadNanos = new TreeMap<>();
    private long cpuNanos;
    private Map<Path, Long> waits = Map.of();
    private Map<Path, Long> faults = Map.of();

    ProcessCost begin()
    {
        cpuNanos = system.getProcessCpuTime();
        waits = ofThreads(ProcessCost::waitsOf);
        faults = ofThreads(ProcessCost::faultsOf);
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
        return perCount(waits, ofThreads(ProcessCost::waitsOf), count, LEAST_WAITS, "%.1f");
    }

    /** Page faults of threads, divided by a count: all, then by thread; Linux only. */
    String pageFaults(final long count)
    {
        return perCount(faults, ofThreads(ProcessCost::faultsOf), count, LEAST_FAULTS, "%.2f");
    }

    private static String perCount(
        final Map<Path, Long> before, final Map<Path, Long> after, final long count, final double least, final String format)
    {
        final Map<String, Long> byThread = new TreeMap<>();
        long all = 0;
        for (final Map.Entry<Path, Long> thread : after.entrySet())
        {
            final long added = thread.getValue() - before.getOrDefault(thread.getKey(), 0L);
            all += added;
            byThread.merge(nameOf(thread.getKey()), added, Long::sum);
        }
        final List<String> parts = new ArrayList<>();
        byThread.forEach((name, added) ->
        {
            if (added >= least * count)
            {
                parts.add(String.format(Locale.ROOT, "%s " + format, name, (double)added / count));
            }
        });
        return String.format(Locale.ROOT, format + ": %s", (double)all / count, String.join(", ", parts));
    }

    /** By the thread's directory. */
    private static Map<Path, Long> ofThreads(final ToLongFunction<Path> count)
    {
        if (!Files.isDirectory(THREADS))
        {
            return Map.of();
        }
        try (Stream<Path> threads = Files.list(THREADS))
        {
            return threads.collect(Collectors.toMap(thread -> thread, count::applyAsLong));
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
        return lines(thread.resolve("status")).stream().filter(line -> line.startsWith(BLOCKED_WAITS))
            .mapToLong(line -> Long.parseLong(line.substring(BLOCKED_WAITS.length()).strip())).sum();
    }

    private static long faultsOf(final Path thread)
    {
        return lines(thread.resolve("stat")).stream().map(line -> line.substring(line.lastIndexOf(')') + 2).split(" "))
            .mapToLong(fields -> Long.parseLong(fields[MINOR_FAULTS]) + Long.parseLong(fields[MAJOR_FAULTS])).sum();
    }

    /** None if the thread has ended. */
    private static List<String> lines(final Path file)
    {
        try
        {
            return Files.readAllLines(file);
        }
        catch (final IOException e)
        {
            return List.of();
        }
    }
}
