// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.console;

import io.signalbox.cli.CommandRun;
import io.signalbox.cuda.check.CheckFigure;
import io.signalbox.cuda.check.CheckVerdict;
import io.signalbox.cuda.check.GpuSection;
import io.signalbox.cuda.check.SectionResult;
import io.signalbox.cuda.driver.CudaAvailability;
import io.signalbox.cuda.driver.CudaDevice;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class GpuTablesTest
{
    private static final CudaAvailability READY = new CudaAvailability(CudaAvailability.State.READY,
        "1 GPU, driver for CUDA 13.0.", List.of(new CudaDevice(0, "Fake GPU", 80L << 30, "9.0")));

    @TempDir
    private Path directory;

    @Test
    void shouldMakeOneTableOfSeveralFiles() throws IOException
    {
        final List<CheckFigure> figures = List.of(
            new CheckFigure("32/32@13.2: step without capture, mean", 13.25, "ms"),
            new CheckFigure("32/32@13.2: off against off adds", 0.01, "%"),
            new CheckFigure("32/32@13.2: off against off adds, 95 % from", -0.02, "%"),
            new CheckFigure("32/32@13.2: off against off adds, 95 % up to", 0.04, "%"),
            new CheckFigure("32/32@13.2: fused capture adds", 0.1, "%"),
            new CheckFigure("32/32@13.2: fused capture adds, 95 % from", 0.05, "%"),
            new CheckFigure("32/32@13.2: fused capture adds, 95 % up to", 0.15, "%"));
        final Path first = write("a.json",
            new SectionResult(GpuSection.OVERHEAD, CheckVerdict.PASSED, "Fine | good.", figures, 1.0));
        final Path second = write("b.json", new SectionResult(GpuSection.LATENCY, CheckVerdict.FAILED, "Slow.",
            List.of(new CheckFigure("wait", Double.POSITIVE_INFINITY, "us")), 2.0));
        final CommandRun run = CommandRun.of("gpu", "--tables", first.toString(), second.toString());

        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        assertEquals(1, run.out().split("\\| machine \\|", -1).length - 1, "one machine, one table");
        assertTrue(run.out().contains(
            "| device 0 | Fake GPU |\n| driver | 1 GPU, driver for CUDA 13.0. |\n| CPU | fast |\n"), run.out());
        assertTrue(run.out().contains("| overhead | passed | 1 s | Fine \\| good. |\n"), run.out());
        assertTrue(run.out().contains("| latency | failed | 2 s | Slow. |\n"), run.out());
        assertTrue(run.out().contains(
            "| 32/32@13.2 | 13.250 | 0.010 (-0.020 to 0.040) | 0.100 (0.050 to 0.150) | – | – |\n"), run.out());
        assertTrue(run.out().contains("| latency | wait | – | us |\n"), run.out());
    }

    @Test
    void shouldSetTheModelBesideTorch() throws IOException
    {
        final String step = "OLMoE-1B-7B: decode of 32 at context 1024";
        final Path check = write("a.json", new SectionResult(GpuSection.MODEL, CheckVerdict.PASSED, "", List.of(
            new CheckFigure("bandwidth of reads", 4000.0, "GB/s"), new CheckFigure(step, 8.0, "ms"),
            new CheckFigure(step + ", floor of the bandwidth", 4.0, "ms"),
            new CheckFigure(step + ", of the floor's speed", 50.0, "%")), 1.0));
        final Path torch = Files.writeString(directory.resolve("torch.json"), "{\"devices\": [], \"driver\": null, " +
            "\"machine\": {\"Python\": \"3\"}, \"sections\": [{\"name\": \"torch\", \"verdict\": \"passed\", " +
            "\"seconds\": 1, \"note\": \"\", " +
            "\"figures\": [{\"name\": \"" + step + "\", \"value\": 9.5, \"unit\": \"ms\"}]}]}");

        assertTrue(CommandRun.of("gpu", "--tables", check.toString(), torch.toString()).out().contains(
            "torch, ms |\n| --- | --- | --- | --- | --- |\n| " + step + " | 8 | 4 | 50 | 9.500 |\n\n"));
        assertTrue(CommandRun.of("gpu", "--tables", check.toString()).out().contains(
            "| " + step + " | 8 | 4 | 50 | – |\n\n"));
    }

    @Test
    void shouldMakeATableOfTheKernelsOfAStep() throws IOException
    {
        final String step = "OLMoE-1B-7B, FAST, decode of 32 at context 1024";
        final Path check = write("a.json", new SectionResult(GpuSection.PROFILE, CheckVerdict.PASSED, "", List.of(
            new CheckFigure("empty launch", 2.5, "us"),
            new CheckFigure(step + ": decoder_norm: launches", 32, ""),
            new CheckFigure(step + ": decoder_norm: time", 300, "us"),
            new CheckFigure(step + ": decoder_norm: time of each", 9.25, "us"),
            new CheckFigure(step + ": decoder_norm: reads", 0, "MB"),
            new CheckFigure(step + ": tensor_linear_v32, 2048 x 2048: launches", 64, ""),
            new CheckFigure(step + ": tensor_linear_v32, 2048 x 2048: time", 700, "us"),
            new CheckFigure(step + ": tensor_linear_v32, 2048 x 2048: time of each", 11, "us"),
            new CheckFigure(step + ": tensor_linear_v32, 2048 x 2048: reads", 536.870912, "MB"),
            new CheckFigure(step + ": sum of the launches", 1000, "us"),
            new CheckFigure(step + ": as a graph", 900, "us"),
            new CheckFigure(step + ": experts read, mean of a layer", 63, "")), 1.0));
        final String out = CommandRun.of("gpu", "--tables", check.toString()).out();

        assertTrue(out.contains(step + ":\n\n" +
            "| kernel | launches | us in all | us each | MB read | GB/s | share of the step, % |\n" +
            "| --- | --- | --- | --- | --- | --- | --- |\n" +
            "| decoder_norm | 32 | 300.0 | 9.25 | – | – | 30.0 |\n" +
            "| tensor_linear_v32, 2048 x 2048 | 64 | 700.0 | 11.00 | 536.87 | 767 | 70.0 |\n" +
            "| sum of the launches | – | 1000.0 | – | 536.87 | 537 | 100.0 |\n" +
            "| as a graph | – | 900.0 | – | 536.87 | 597 | 90.0 |\n\n"), out);
        assertTrue(out.contains("| profile | empty launch | 2.500 | us |\n"), out);
        assertTrue(out.contains("| profile | " + step + ": experts read, mean of a layer | 63 |  |\n"), out);
        assertTrue(!out.contains("| profile | " + step + ": decoder_norm"), out);
    }

    @ParameterizedTest
    @CsvSource({"'{}', is no file that 'signalbox gpu --json-file' has written", "'[1', is not JSON", "'', is no file",
        "'{\"sections\":[],\"machine\":3,\"devices\":[]}', is no file"})
    void shouldRefuseAnotherFile(final String content, final String sentence) throws IOException
    {
        final Path file = Files.writeString(directory.resolve("x.json"), content == null ? "" : content);
        final CommandRun run = CommandRun.of("gpu", "--tables", file.toString());

        assertEquals(ExitCode.BAD_INPUT, run.exitCode());
        assertTrue(run.err().contains("--tables: " + file) && run.err().contains(sentence.replace("\"", "")), run.err());
    }

    @Test
    void shouldNameAFileThatIsNotThereAndTakeNoOtherOption()
    {
        final CommandRun missing = CommandRun.of("gpu", "--tables", directory.resolve("none.json").toString());
        assertEquals(ExitCode.BAD_INPUT, missing.exitCode());
        assertTrue(missing.err().contains("none.json is not there"), missing.err());

        final CommandRun both = CommandRun.of("gpu", "--seed", "1", "--tables", "x.json");
        assertEquals(ExitCode.BAD_INPUT, both.exitCode());
        assertTrue(both.err().contains("--tables only reads files and has no other options"), both.err());
    }

    private Path write(final String name, final SectionResult result)
    {
        final Path file = directory.resolve(name);
        new GpuReportFile(file, List.of(), 1, Map.of("CPU", "fast"))
            .write(READY, List.of(result), GpuReportFile.State.ENDED);
        return file;
    }
}
