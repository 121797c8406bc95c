// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.cli.console.Console;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.cli.console.ResultStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A result that could not be written is no success. */
class LostOutputTest
{
    /** Refuses every byte, as a full device does. */
    private static final class Refusing extends OutputStream
    {
        private final String reason;

        private Refusing(final String reason)
        {
            this.reason = reason;
        }

        @Override
        public void write(final int value) throws IOException
        {
            throw new IOException(reason);
        }
    }

    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(strings = {
        "--help", "--version", "doctor", "doctor --json", "simulate --help", "simulate --conversations 2 --no-journal",
        "simulate --conversations 2 --no-journal --json"})
    void shouldFailWhereItsResultCannotBeWritten(final String arguments)
    {
        final CommandRun run = runInto("No space left on device", arguments.split(" "));

        assertEquals(ExitCode.BAD_INPUT, run.exitCode());
        assertTrue(run.err().contains("standard output took only part of the result (no space left on device)"), run.err());
    }

    @Test
    void shouldFailWhereAVerdictCannotBeWritten()
    {
        final String journal = directory.resolve("journal").toString();
        assertEquals(ExitCode.OK, CommandRun.of("simulate", "--conversations", "2", "--journal", journal).exitCode());

        assertEquals(ExitCode.BAD_INPUT, runInto("Bad file descriptor", "replay", journal).exitCode());
    }

    @Test
    void shouldSayNothingWhereItsReaderHasEnough()
    {
        final CommandRun run = runInto("Broken pipe", "doctor");

        assertEquals(ExitCode.OK, run.exitCode());
        assertEquals("", run.err());
    }

    private static CommandRun runInto(final String reason, final String... arguments)
    {
        final ByteArrayOutputStream err = new ByteArrayOutputStream();
        final int exitCode = Main.run(
            new Console(
                new ResultStream(new Refusing(reason)), new PrintStream(err, true, StandardCharsets.UTF_8), false),
            arguments);
        return new CommandRun(exitCode, "", err.toString(StandardCharsets.UTF_8));
    }
}
