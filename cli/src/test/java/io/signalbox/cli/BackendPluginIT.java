// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.cli.console.ExitCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Uses the jar that samples/backend-plugin makes in its build by the label of its backend. */
class BackendPluginIT
{
    private static final SampleBuild BUILD = new SampleBuild("backend-plugin");
    private static final String JAR = BUILD.jar().toString();

    @TempDir
    private Path directory;

    private List<String> answers(final String name, final String... options) throws Exception
    {
        final Path output = directory.resolve(name);
        final List<String> arguments = new ArrayList<>(List.of("run", "--plugins", JAR, "--backend", "bigram", "--out",
            output.toString(), "--experts", "--journal", directory.resolve(name + "-journal").toString()));
        arguments.addAll(List.of(options));
        final CommandRun run = CommandRun.of(arguments);
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        assertTrue(run.out().contains("8 submitted: 8 completed, 0 cancelled, 0 failed"), run.out());
        assertTrue(run.out().contains(", 0 missing") && run.out().contains("verified          yes"), run.out());
        return Files.readAllLines(output).stream().map(line -> line.replaceAll(",\"(first_token|total)_ms\":[^,}]*", ""))
            .toList();
    }

    @Test
    void shouldPassItsOwnTests() throws Exception
    {
        assertTrue(BUILD.tests() >= 9, BUILD.tests() + " tests, those of the contract");
    }

    @Test
    void shouldServePromptsByItsLabelAndVerifyWithoutItsJar() throws Exception
    {
        final List<String> first = answers("first");
        assertEquals(first, answers("again", "--ranks", "2"));
        assertNotEquals(first, answers("wide", "--backend-options", "window=9"));

        final String journal = directory.resolve("wide-journal").toString();
        final CommandRun replayed = CommandRun.of("replay", journal, "--verify");
        assertEquals(ExitCode.OK, replayed.exitCode(), replayed.err());
        final CommandRun described = CommandRun.of("inspect", journal, "--json");
        assertEquals(ExitCode.OK, described.exitCode(), described.err());
        assertTrue(described.out().contains("\"run.backend.window\""), described.out());
    }

    @Test
    void shouldRefuseWhatTheBackendCannot()
    {
        final CommandRun deep = CommandRun.of("run", "--plugins", JAR, "--backend", "bigram", "--steps-in-flight", "2",
            "--journal", directory.resolve("journal").toString());
        assertEquals(ExitCode.BAD_INPUT, deep.exitCode(), deep.err());
        assertTrue(deep.err().contains("bigram") && Files.notExists(directory.resolve("journal")), deep.err());

        final CommandRun knob = CommandRun.of("run", "--plugins", JAR, "--backend", "bigram", "--backend-options",
            "window=65");
        assertEquals(ExitCode.BAD_INPUT, knob.exitCode(), knob.err());
        assertTrue(knob.err().contains("window=65"), knob.err());
    }
}
