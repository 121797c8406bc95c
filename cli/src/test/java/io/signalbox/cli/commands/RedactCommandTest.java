// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.CommandRun;
import io.signalbox.cli.console.ExitCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RedactCommandTest
{
    @TempDir
    private Path directory;

    private String path(final String name)
    {
        return directory.resolve(name).toString();
    }

    private static void expect(final int exitCode, final String part, final String... command)
    {
        final CommandRun run = CommandRun.of(command);
        assertEquals(exitCode, run.exitCode(), run.err());
        assertTrue((run.out() + run.err()).contains(part), run.out() + run.err());
    }

    @Test
    void shouldMakeAJournalThatVerifiesAndAnswersWhatIf() throws Exception
    {
        final Path key = Files.write(directory.resolve("key"), new byte[40]);
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        expect(ExitCode.OK, "records", "simulate", "--conversations", "6", "--ranks", "2", "--no-verify",
            "--journal", path("old"));
        expect(ExitCode.OK, "groups without tokens", "redact", path("old"), path("new"), "--journal-key", key.toString());
        expect(ExitCode.OK, "groups re-run", "replay", path("new"), "--verify");
        expect(ExitCode.OK, "3", "inspect", path("new"), "--request", "3");
        expect(ExitCode.OK, "round-robin", "whatif", path("new"), "--router", "round-robin");
        expect(ExitCode.BAD_INPUT, "has no tokens already",
            "redact", path("new"), path("newer"), "--journal-key", key.toString());
        expect(ExitCode.BAD_INPUT, "is in the directory of a journal",
            "redact", path("old"), path("old/new"), "--journal-key", key.toString());
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
        expect(ExitCode.BAD_INPUT, "so it is no secret",
            "redact", path("old"), path("newer"), "--journal-key", key.toString());
    }
}
