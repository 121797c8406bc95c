// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.cli.console.ExitCode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The script that times torch beside the GPU check, by a Python that has none. */
@Tag("threads")
class TorchTimesTest
{
    private static final Path SCRIPT = Path.of(System.getProperty("signalbox.root")).resolve("scripts/torch-times");

    @TempDir
    private Path directory;

    @BeforeEach
    void needsPython()
    {
        assumeTrue(python("-c", "import sys; sys.exit(sys.version_info < (3, 8))").exitCode == 0, "there is no Python 3.8");
    }

    /** Isolated, so that packages of this machine are not found. */
    private Run python(final String... arguments)
    {
        final List<String> line = new ArrayList<>(List.of("python3", "-I", "-S", "-B"));
        line.addAll(List.of(arguments));
        try
        {
            final Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
            final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Run(process.waitFor(), output);
        }
        catch (final IOException e)
        {
            return new Run(-1, e.toString());
        }
        catch (final InterruptedException e)
        {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void shouldSayThatThereIsNoTorchInAFileThatTheTablesTake() throws IOException
    {
        final Path file = directory.resolve("torch.json");
        final Run run = python(SCRIPT.toString(), "--layers=2", "--output=" + file);

        assertEquals(0, run.exitCode, run.output);
        assertTrue(run.output.startsWith("torch: not run: There is no torch for this Python"), run.output);
        final Map<String, String> document = JsonText.leaves(Files.readString(file));
        assertEquals("torch", document.get("sections[0].name"));
        assertEquals("not run", document.get("sections[0].verdict"));
        final CommandRun tables = CommandRun.of("gpu", "--tables", file.toString());
        assertEquals(ExitCode.OK, tables.exitCode(), tables.err());
        assertTrue(tables.out().contains("| torch | not run | "), tables.out());
    }

    @Test
    void shouldNameWhatCannotBe()
    {
        assertEquals(2, python(SCRIPT.toString(), "--layers=17").exitCode);
        final Run unwritable = python(SCRIPT.toString(), "--output=" + directory.resolve("none").resolve("torch.json"));
        assertEquals(1, unwritable.exitCode);
        assertTrue(unwritable.output.startsWith("torch-times: " + directory), unwritable.output);
    }

    private record Run(int exitCode, String output)
    {
    }
}
