// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.console;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.OperatingSystemMXBean;
import io.signalbox.ConfigException;
import io.signalbox.model.ModelMemory;
import io.signalbox.sim.HeapLimits;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** The memory of this process: its heap, the machine, and the control groups (versions 1 and 2) that it is in. */
public final class MachineMemory
{
    private static final String V1_LIMIT = "memory.limit_in_bytes";
    private static final String V2_LIMIT = "memory.max";
    private static final Path ROOT = Path.of("/");

    private MachineMemory()
    {
    }

    public static HeapLimits limits()
    {
        final OperatingSystemMXBean system = (OperatingSystemMXBean)ManagementFactory.getOperatingSystemMXBean();
        return new HeapLimits(
            Runtime.getRuntime().maxMemory(), Math.min(system.getTotalMemorySize(), groupBytes(ROOT)), regionBytes());
    }

    /** @throws ConfigException if a model does not fit; it names a larger heap if one would help. */
    public static void requireRoom(final ModelMemory memory, final HeapLimits limits)
    {
        if (memory.bytes() > limits.usableHeap())
        {
            throw new ConfigException("the model needs " + memory.text() + ", and " + limits.text() +
                "; give fewer KV blocks or ranks, a smaller model, " + limits.larger(memory.bytes()) + ".");
        }
    }

    private static long regionBytes()
    {
        try
        {
            final HotSpotDiagnosticMXBean jvm = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
            return Boolean.parseBoolean(jvm.getVMOption("UseG1GC").getValue()) ?
                Long.parseLong(jvm.getVMOption("G1HeapRegionSize").getValue()) : 0;
        }
        catch (final IllegalArgumentException e)
        {
            // This JVM does not have the collector.
            return 0;
        }
    }

    /**
     * The least limit of the control groups, from the group of this process up to the outermost visible group.
     *
     * @param root of the file system.
     * @return {@link Long#MAX_VALUE} if there is no limit.
     */
    static long groupBytes(final Path root)
    {
        long least = Long.MAX_VALUE;
        final List<String> groups = lines(root.resolve("proc/self/cgroup"));
        for (final String mount : lines(root.resolve("proc/self/mountinfo")))
        {
            final String[] fields = mount.split(" ");
            final int type = Arrays.asList(fields).indexOf("-") + 1;
            if (type < 6 || fields.length < type + 3)
            {
                continue;
            }
            if (fields[type].equals("cgroup2"))
            {
                least = Math.min(least, leastAbove(root, fields[4], fields[3], group(groups, ""), V2_LIMIT));
            }
            else if (fields[type].equals("cgroup") && Arrays.asList(fields[type + 2].split(",")).contains("memory"))
            {
                least = Math.min(least, leastAbove(root, fields[4], fields[3], group(groups, "memory"), V1_LIMIT));
            }
        }
        return least;
    }

    /** The path of the group of a controller; {@code null} if the process is not in a group. */
    private static String group(final List<String> groups, final String controller)
    {
        for (final String line : groups)
        {
            final String[] fields = line.split(":", 3);
            if (fields.length == 3 && Arrays.asList(fields[1].split(",")).contains(controller))
            {
                return fields[2];
            }
        }
        return null;
    }

    /**
     * @param mounted the place where the groups are mounted.
     * @param origin  the group that is mounted there.
     * @param group   of this process.
     */
    private static long leastAbove(
        final Path root, final String mounted, final String origin, final String group, final String limit)
    {
        final Path top = root.resolve(mounted.substring(1));
        final String below = group == null ? "" : group.startsWith(origin) ? group.substring(origin.length()) : group;
        Path at = top.resolve(below.replaceFirst("^/+", "")).normalize();
        if (!at.startsWith(top) || !Files.isDirectory(at))
        {
            // The group is outside this view of the file system; the mounted group is the nearest visible group.
            at = top;
        }
        long least = Long.MAX_VALUE;
        for (; at.startsWith(top); at = at.getParent())
        {
            least = Math.min(least, limit(at.resolve(limit)));
        }
        return least;
    }

    private static long limit(final Path file)
    {
        final List<String> lines = lines(file);
        try
        {
            return lines.isEmpty() ? Long.MAX_VALUE : Long.parseLong(lines.get(0).strip());
        }
        catch (final NumberFormatException e)
        {
            // "max" in version 2.
            return Long.MAX_VALUE;
        }
    }

    /** Empty if the file cannot be read, as on other systems and on systems without groups. */
    private static List<String> lines(final Path file)
    {
        try
        {
            return Files.exists(file) ? Files.readAllLines(file) : List.of();
        }
        catch (final IOException e)
        {
            return List.of();
        }
    }
}
