// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import io.signalbox.cli.CommandRun;
import io.signalbox.cli.JsonText;
import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.cli.console.GpuReport;
import io.signalbox.cli.console.GpuReportFile;
import io.signalbox.cli.console.Progress;
import io.signalbox.cli.console.ResultStream;
import io.signalbox.cuda.check.CheckConfig;
import io.signalbox.cuda.check.CheckFigure;
import io.signalbox.cuda.check.CheckOutcome;
import io.signalbox.cuda.check.CheckVerdict;
import io.signalbox.cuda.check.GpuSection;
import io.signalbox.cuda.check.SectionResult;
import io.signalbox.cuda.driver.CudaAvailability;
import io.signalbox.cuda.driver.CudaAvailability.State;
import io.signalbox.cuda.driver.CudaDevice;
import io.signalbox.cuda.driver.CudaProbe;
import io.signalbox.experts.ModelShape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

class GpuCommandTest
{
    private static final CudaAvailability READY = new CudaAvailability(
        State.READY, "1 GPU, driver for CUDA 13.0.", List.of(new CudaDevice(0, "Fake GPU", 80L << 30, "9.0")));
    private static final SectionResult PASSED = new SectionResult(GpuSection.LINK, CheckVerdict.PASSED, "Looked at.",
        List.of(new CheckFigure("link", 53.25, "GB/s"), new CheckFigure("steps", 12_000.0, "")), 1.25);
    private static final SectionResult NOT_RUN =
        new SectionResult(GpuSection.SANITIZER, CheckVerdict.NOT_RUN, "Not there.", List.of(), 0.0);
    private static final SectionResult FAILED = new SectionResult(GpuSection.STEPS, CheckVerdict.FAILED,
        "Step 7 is wrong.", List.of(new CheckFigure("infinite", Double.POSITIVE_INFINITY, "us")), 0.5);

    @TempDir
    private Path directory;

    /** The answer of this machine, with a GPU or without, and the exit code for it. */
    @Test
    void shouldProbeOnAnyMachine()
    {
        final CudaAvailability found = new CudaProbe().probe();
        final CommandRun run = CommandRun.of("gpu", "--probe");

        assertEquals(found.ready() ? ExitCode.OK : ExitCode.BAD_INPUT, run.exitCode());
        assertTrue(run.out().contains(found.message()), run.out());
        assertEquals("", run.err());
    }

    @Test
    void shouldEndInOneSentenceWhereNoGpuCanBeUsed()
    {
        assumeFalse(new CudaProbe().probe().ready(), "this machine has a GPU");
        final Path file = directory.resolve("gpu.json");
        final CommandRun run = CommandRun.of("gpu", "--json-file", file.toString());

        assertEquals(ExitCode.BAD_INPUT, run.exitCode());
        assertEquals("", run.out());
        assertEquals(1, run.err().lines().count(), run.err());
        assertEquals("signalbox gpu: " + new CudaProbe().probe().message(), run.err().strip());
        assertFalse(Files.exists(file), "a check that did not begin leaves no figures");
    }

    @ParameterizedTest
    @CsvSource({
        "--sections=routers;nothing, there is no section 'nothing'",
        "--experts=4 --top-k=2, --experts=4 is not between 8 and 512",
        "--experts=8 --top-k=9, --top-k=9 is not between 1 and --experts=8",
        "--batch=0, --batch=0 is not between 1 and 8192",
        "--steps=39, --steps=39 is not between 40 and 1000000",
        "--soak=0, --soak=0 is not between 1 and 3600",
        "--step-time=-1, --step-time=-1.0 is not between 0 and 1000",
        "--probe --seed=3, --probe checks nothing and has no other options than --json and --json-file"})
    void shouldNameTheOptionThatCannotBe(final String arguments, final String sentence)
    {
        final CommandRun run = CommandRun.of(("gpu " + arguments.replace(';', ',')).split(" "));

        assertEquals(ExitCode.BAD_INPUT, run.exitCode());
        assertTrue(run.err().contains(sentence), run.err());
    }

    @Test
    void shouldRefuseADeviceThatIsNotThere()
    {
        GpuCommand.refuseUnless(READY, 0);
        final ConfigException refusal =
            assertThrows(ConfigException.class, () -> GpuCommand.refuseUnless(READY, 1));

        assertTrue(refusal.getMessage().contains("--device=1"), refusal.getMessage());
    }

    @Test
    void shouldFailWhereOneSectionFailed()
    {
        assertEquals(ExitCode.OK, GpuReport.exitCode(List.of(PASSED, NOT_RUN)));
        assertEquals(ExitCode.CHECK_FAILED, GpuReport.exitCode(List.of(PASSED, FAILED, NOT_RUN)));
    }

    @Test
    void shouldPrintAndKeepEachResultAtOnce() throws IOException
    {
        final Path file = directory.resolve("gpu.json");
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        final Console console = new Console(
            new ResultStream(out), new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8), false);
        final GpuReport report = new GpuReport(console,
            new GpuReportFile(file, List.of("gpu", "--seed=1"), 1, Map.of("CPU", "fast")), READY, progress(console), false);
        report.begin(CheckConfig.of(new ModelShape(2, 16, 4), EnumSet.of(GpuSection.LINK), List.of()));
        assertEquals("running", JsonText.leaves(Files.readString(file)).get("state"));

        report.onStart(GpuSection.LINK);
        report.onResult(PASSED);
        final Map<String, String> first = JsonText.leaves(Files.readString(file));
        assertEquals("running", first.get("state"));
        assertEquals("link", first.get("sections[0].name"));
        assertEquals("53.25", first.get("sections[0].figures[0].value"));
        assertEquals("Fake GPU", first.get("devices[0].name"));
        assertEquals("--seed=1", first.get("arguments[1]"));
        assertEquals("1", first.get("seed"));
        assertTrue(out.toString(StandardCharsets.UTF_8).contains("link           passed       1.2 s  Looked at."),
            out.toString(StandardCharsets.UTF_8));

        report.onResult(FAILED);
        assertEquals(ExitCode.CHECK_FAILED, report.conclude(new CheckOutcome(List.of(PASSED, FAILED), false)));
        final Map<String, String> last = JsonText.leaves(Files.readString(file));
        assertEquals("ended", last.get("state"));
        assertEquals("failed", last.get("sections[1].verdict"));
        console.out().conclude();
        final String text = out.toString(StandardCharsets.UTF_8);
        assertTrue(text.startsWith("Fake GPU, seed 1\n"), text);
        assertTrue(text.contains("12,000") && text.contains("2 sections: 1 passed, 1 failed, 0 not run"), text);
        try (Stream<Path> files = Files.list(directory))
        {
            assertEquals(List.of(file), files.toList());
        }
    }

    /** The file of a check that was stopped is not that of a section which comes back after it was given up. */
    @Test
    void shouldNotHearASectionAfterItsResult() throws IOException
    {
        final Path file = directory.resolve("gpu.json");
        final GpuReport report = report(new ByteArrayOutputStream(), file);
        report.onResult(FAILED);
        report.conclude(new CheckOutcome(List.of(FAILED), true));
        report.onPart(new SectionResult(GpuSection.STEPS, CheckVerdict.RUNNING, "", List.of(), 1.0));

        assertEquals("stopped", JsonText.leaves(Files.readString(file)).get("state"));
    }

    /** A disk that is full for a while costs no section, and at the end the table is whole before the refusal. */
    @Test
    void shouldGoOnWhileTheFileCannotBeWritten() throws IOException
    {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        final Path file = directory.resolve("gone").resolve("gpu.json");
        final GpuReport report = report(out, file);
        report.onResult(PASSED);
        report.onPart(new SectionResult(GpuSection.STEPS, CheckVerdict.RUNNING, "", List.of(), 1.0));
        final CheckOutcome outcome = new CheckOutcome(List.of(PASSED), false);

        assertThrows(ConfigException.class, () -> report.conclude(outcome));
        assertTrue(out.toString(StandardCharsets.UTF_8).contains("1 sections: 1 passed"),
            out.toString(StandardCharsets.UTF_8));
        Files.createDirectory(file.getParent());
        assertEquals(ExitCode.OK, report.conclude(outcome));
        assertEquals("ended", JsonText.leaves(Files.readString(file)).get("state"));
    }

    private static GpuReport report(final ByteArrayOutputStream out, final Path file)
    {
        final Console console = new Console(
            new ResultStream(out), new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8), false);
        return new GpuReport(
            console, new GpuReportFile(file, List.of(), 1, Map.of()), READY, progress(console), false);
    }

    private static Progress progress(final Console console)
    {
        return new Progress(console, "signalbox gpu", false);
    }

    @Test
    void shouldPrintTheDocumentInsteadOfTheTable()
    {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        final Console console = new Console(
            new ResultStream(out), new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8), false);
        final GpuReport report = new GpuReport(
            console, new GpuReportFile(null, List.of(), 1, Map.of()), READY, progress(console), true);
        report.onStart(GpuSection.LINK);
        report.onResult(PASSED);
        report.conclude(new CheckOutcome(List.of(PASSED), false));

        final Map<String, String> document = JsonText.leaves(out.toString(StandardCharsets.UTF_8));
        assertEquals("signalbox.gpu/1", document.get("schema"));
        assertEquals("passed", document.get("sections[0].verdict"));
    }

    @Test
    void shouldPrintTheProbeAsJson()
    {
        final Map<String, String> probe = JsonText.leaves(CommandRun.of("gpu", "--probe", "--json").out());

        assertEquals("signalbox.gpu-probe/1", probe.get("schema"));
        assertEquals(String.valueOf(new CudaProbe().probe().ready()), probe.get("ready"));
    }

    @Test
    void shouldSayThatTheFileCannotBeWritten()
    {
        final GpuReportFile file = new GpuReportFile(directory.resolve("no").resolve("gpu.json"), List.of(), 1, Map.of());
        final ConfigException refusal =
            assertThrows(ConfigException.class, () -> file.write(READY, List.of(), GpuReportFile.State.RUNNING));

        assertTrue(refusal.getMessage().startsWith("--json-file=" + directory.resolve("no")), refusal.getMessage());
    }
}
