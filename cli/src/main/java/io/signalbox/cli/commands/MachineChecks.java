// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import io.signalbox.cli.console.Check;
import io.signalbox.cli.console.MachineMemory;
import io.signalbox.cli.console.Progress;
import io.signalbox.cuda.driver.CudaAvailability;
import io.signalbox.cuda.driver.CudaDevice;
import io.signalbox.cuda.driver.CudaProbe;
import io.signalbox.files.FileFault;
import io.signalbox.journal.JvmFlags;
import io.signalbox.printing.Decimals;
import io.signalbox.router.DpRouters;
import io.signalbox.sim.HeapLimits;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Checks the machine and the JVM for everything that Signalbox needs. */
final class MachineChecks
{
    private static final int MIN_JAVA = 17;
    /** From this version on the JVM warns about native access and Unsafe unless flags allow them. */
    private static final int FIRST_WARNING_JAVA = 24;
    private static final long MIN_HEAP_BYTES = 512L << 20;
    private static final long MIN_DISK_BYTES = 1L << 30;
    private static final String START = "start through the launcher 'signalbox', which passes scripts/jvm.flags";

    private MachineChecks()
    {
    }

    /** Shows each check before it begins: the one of journals waits for the disk, the one of GPUs for the driver. */
    static List<Check> all(final Path directory, final Progress progress)
    {
        final Map<String, Supplier<Check>> checks = checks(directory);
        final List<Check> found = new ArrayList<>();
        checks.forEach((name, check) ->
        {
            progress.showNow(found.size(), checks.size(), name);
            found.add(check.get());
        });
        return found;
    }

    /** By name, in the order in which they run. */
    private static Map<String, Supplier<Check>> checks(final Path directory)
    {
        final int feature = Runtime.version().feature();
        final Map<String, Supplier<Check>> checks = new LinkedHashMap<>();
        checks.put("java", () -> java(feature));
        checks.put("jvm flags", MachineChecks::opened);
        checks.put("warnings", () -> quiet(feature, ManagementFactory.getRuntimeMXBean().getInputArguments()));
        checks.put("telemetry", MachineChecks::telemetry);
        checks.put("memory", () -> heap(MachineMemory.limits()));
        checks.put("cores", () -> cores(Runtime.getRuntime().availableProcessors()));
        checks.put("disk", () -> disk(directory));
        checks.put("journal", () -> JournalCheck.in(journals(directory)));
        checks.put("routers", MachineChecks::routers);
        checks.put("gpu", () -> gpu(new CudaProbe().probe()));
        return checks;
    }

    /** The default place of journals: under runs, which the first run creates. */
    static Path journals(final Path directory)
    {
        final Path runs = directory.resolve("runs");
        return (Files.isDirectory(runs) ? runs : directory).toAbsolutePath();
    }

    static Check java(final int feature)
    {
        final String detail = "Java " + Runtime.version() + ", " + System.getProperty("java.vm.vendor");
        return feature >= MIN_JAVA
            ? Check.ok("java", detail)
            : Check.missing("java", detail, "set JAVA_HOME to a JDK, version " + MIN_JAVA + " or newer");
    }

    private static Check routers()
    {
        try
        {
            return Check.ok("routers", DpRouters.installed().labels());
        }
        catch (final ConfigException e)
        {
            return Check.missing("routers", e.getMessage(), "fix the class path");
        }
    }

    private static Check opened()
    {
        final List<String> missing = JvmFlags.missing();
        return missing.isEmpty()
            ? Check.ok("jvm flags", "the packages that Chronicle Queue and Agrona need are open")
            : Check.missing("jvm flags", "missing: " + String.join(" ", missing), START);
    }

    static Check quiet(final int feature, final List<String> arguments)
    {
        if (feature < FIRST_WARNING_JAVA)
        {
            return Check.ok("warnings", "Java " + feature + " needs no flags against warnings").optional();
        }
        final boolean allowed = arguments.stream().anyMatch(argument -> argument.startsWith("--enable-native-access")) &&
            arguments.contains("--sun-misc-unsafe-memory-access=allow");
        return (allowed
            ? Check.ok("warnings", "native access and Unsafe are allowed, so that Java prints no warnings")
            : Check.missing("warnings", "Java " + feature + " will print warnings about native access and Unsafe",
                START + " and scripts/jvm-24.flags")).optional();
    }

    private static Check telemetry()
    {
        return Boolean.getBoolean("chronicle.analytics.disable")
            ? Check.ok("telemetry", "off: nothing is sent anywhere")
            : Check.missing("telemetry", "chronicle.analytics.disable is not set", START);
    }

    static Check heap(final HeapLimits limits)
    {
        final String detail = "Java heap of at most " + Decimals.bytes(limits.heapBytes()) + (limits.fits() ? "" :
            ", with the JVM more than the " + Decimals.bytes(limits.memoryBytes()) + " of this machine or container");
        if (limits.fits() && limits.heapBytes() >= MIN_HEAP_BYTES)
        {
            return Check.ok("memory", detail);
        }
        return Check.missing("memory", detail, limits.largestHeap() < MIN_HEAP_BYTES ?
            "give this machine or container at least " + Decimals.bytes(HeapLimits.memoryFor(MIN_HEAP_BYTES)) +
                " of memory, for a heap of " + Decimals.bytes(MIN_HEAP_BYTES) :
            "give the heap " + Decimals.bytes(MIN_HEAP_BYTES) + " to " + Decimals.bytes(limits.largestHeap()) +
                ", for example with " + limits.heapOption(MIN_HEAP_BYTES));
    }

    static Check cores(final int count)
    {
        return count >= 2
            ? Check.ok("cores", count + " for this process").optional()
            : Check.missing("cores", "1 for this process",
                "simulate without --threaded: its threads would share one core").optional();
    }

    static Check disk(final Path directory)
    {
        try
        {
            final long free = Files.getFileStore(directory).getUsableSpace();
            final String detail = Decimals.bytes(free) + " free in " + directory.toAbsolutePath();
            if (!Files.isWritable(directory))
            {
                return Check.missing("disk", directory.toAbsolutePath() + " is not writable",
                    "give journals another place with --journal DIR");
            }
            return free >= MIN_DISK_BYTES
                ? Check.ok("disk", detail)
                : Check.missing("disk", detail, "free " + Decimals.bytes(MIN_DISK_BYTES) +
                    ", or give journals another place with --journal DIR");
        }
        catch (final IOException e)
        {
            return Check.missing("disk", directory + " cannot be examined (" + FileFault.reason(e) + ")",
                e instanceof NoSuchFileException ? "change to a directory that exists" :
                    "change to a directory that you may write");
        }
    }

    static Check gpu(final CudaAvailability found)
    {
        final StringBuilder detail = new StringBuilder(found.message());
        for (final CudaDevice device : found.devices())
        {
            detail.append(' ').append(device.ordinal()).append(": ").append(device.name()).append(", ")
                .append(Decimals.bytes(device.memoryBytes())).append(", compute capability ")
                .append(device.computeCapability()).append('.');
        }
        if (found.ready())
        {
            detail.append(" 'signalbox gpu' checks the CUDA backend there.");
        }
        return (found.ready() ? Check.ok("gpu", detail.toString()) :
            Check.missing("gpu", detail.toString(), "simulate and replay need none")).optional();
    }
}
