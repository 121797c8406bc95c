// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.CommandRun;
import io.signalbox.cli.JsonText;
import io.signalbox.cli.console.Check;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.cuda.driver.CudaAvailability;
import io.signalbox.cuda.driver.CudaAvailability.State;
import io.signalbox.cuda.driver.CudaDevice;
import io.signalbox.sim.HeapLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class DoctorCommandTest
{
    @Test
    void shouldFindEverythingNeededInThisBuild()
    {
        final CommandRun run = CommandRun.of("doctor");

        assertEquals(ExitCode.OK, run.exitCode(), run.out());
        assertTrue(run.out().contains("java       ok"), run.out());
        assertTrue(run.out().contains("jvm flags  ok"), run.out());
        assertTrue(run.out().contains("warnings   ok"), run.out());
        assertEquals("", run.err());
    }

    @Test
    void shouldShowEachCheckBeforeItBegins()
    {
        final CommandRun run = CommandRun.of("doctor", "--progress");

        assertEquals(List.of("0 %, java", "10 %, jvm flags", "20 %, warnings", "30 %, telemetry", "40 %, memory",
            "50 %, cores", "60 %, disk", "70 %, journal", "80 %, routers", "90 %, gpu"),
            run.err().lines().map(line -> line.replaceFirst("signalbox doctor: ", "").replaceFirst(", [^,]* left", ""))
                .toList());
        assertEquals(run.err().lines().map(line -> line.replaceFirst(".*, ", "")).toList(),
            run.out().lines().filter(line -> !line.startsWith(" ")).map(line -> line.substring(0, 10).strip()).toList());
    }

    /** A small run has some dozens of steps, each of which is synced. */
    @Test
    void shouldSyncSomeDozensOfTimes(@TempDir final Path directory)
    {
        final Matcher records = Pattern.compile("verified: ([0-9,]+) records").matcher(JournalCheck.in(directory).detail());

        assertTrue(records.find());
        final int count = Integer.parseInt(records.group(1).replace(",", ""));
        assertTrue(count > 50 && count < 1000, count + " records");
    }

    @Test
    void shouldPrintEachCheckAsJson()
    {
        final Map<String, String> found = JsonText.leaves(CommandRun.of("doctor", "--json").out());
        final TreeSet<String> names = new TreeSet<>();
        found.forEach((path, text) ->
        {
            if (path.endsWith("].name"))
            {
                names.add(text);
            }
        });

        assertEquals("true", found.get("ready"));
        assertEquals(
            new TreeSet<>(List.of(
                "java", "jvm flags", "warnings", "telemetry", "memory", "cores", "disk", "journal", "routers", "gpu")),
            names);
    }

    @Test
    void shouldNameARemedyForEverythingMissing()
    {
        final List<Check> missing = List.of(
            MachineChecks.java(11),
            MachineChecks.quiet(25, List.of("--enable-native-access=ALL-UNNAMED")),
            MachineChecks.heap(new HeapLimits(64 << 20, 4L << 30)),
            MachineChecks.cores(1),
            MachineChecks.disk(Path.of("no", "such", "directory")),
            JournalCheck.in(Path.of("no", "such", "directory")),
            MachineChecks.gpu(new CudaAvailability(State.NO_DRIVER, "none.", List.of())));

        for (final Check check : missing)
        {
            assertFalse(check.ok(), check.name());
            assertFalse(check.remedy().isEmpty(), check.name());
        }
    }

    @Test
    void shouldLeaveNothingBehindAfterItsSmallRun(@TempDir final Path directory) throws IOException
    {
        final Check check = JournalCheck.in(directory);

        assertTrue(check.ok(), check.detail());
        try (Stream<Path> left = Files.list(directory))
        {
            assertEquals(List.of(), left.toList());
        }
    }

    @Test
    void shouldTryTheDirectoryWhereJournalsGo(@TempDir final Path directory) throws IOException
    {
        assertEquals(directory, MachineChecks.journals(directory), "runs is not there yet");
        final Path runs = Files.createDirectory(directory.resolve("runs"));
        assertEquals(runs, MachineChecks.journals(directory));
    }

    @Test
    void shouldCallAHeapGoodOnlyIfTheMemoryHoldsIt()
    {
        final Check tooLarge = MachineChecks.heap(new HeapLimits(2L << 30, 256L << 20));
        assertFalse(tooLarge.ok());
        assertEquals("Java heap of at most 2.0 GiB, with the JVM more than the 256.0 MiB of this machine or container",
            tooLarge.detail());
        assertEquals("give this machine or container at least 664.0 MiB of memory, for a heap of 512.0 MiB",
            tooLarge.remedy());
        assertEquals(tooLarge.remedy(), MachineChecks.heap(new HeapLimits(64 << 20, 256L << 20)).remedy());

        final String fitting = "give the heap 512.0 MiB to 850.8 MiB, for example with JDK_JAVA_OPTIONS=-Xmx850m";
        assertEquals(fitting, MachineChecks.heap(new HeapLimits(64 << 20, 1L << 30)).remedy());
        assertEquals(fitting, MachineChecks.heap(new HeapLimits(1L << 30, 1L << 30)).remedy());
        assertTrue(MachineChecks.heap(new HeapLimits(850L << 20, 1L << 30)).ok());
    }

    @Test
    void shouldNeedNoGpu()
    {
        final Check none = MachineChecks.gpu(new CudaAvailability(State.NO_DEVICE, "none.", List.of()));
        final Check one = MachineChecks.gpu(new CudaAvailability(
            State.READY, "1 GPU.", List.of(new CudaDevice(0, "Fake GPU", 80L << 30, "9.0"))));

        assertFalse(none.needed());
        assertTrue(one.ok());
        assertTrue(one.detail().contains("0: Fake GPU, 80.0 GiB, compute capability 9.0"), one.detail());
    }
}
