// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.cli.console.ExitCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The directory runs is checked before the work, and created only after all checks that can refuse. */
class DefaultJournalPlaceTest
{
    @TempDir
    private Path directory;

    @Test
    void shouldRefuseAPlaceThatCannotBeUsedBeforeTheModelIsLoaded() throws IOException, InterruptedException
    {
        Files.writeString(directory.resolve("runs"), "a file of the user");
        final LaunchedCommand file = LaunchedCommand.in(directory, "run", "--model", "no-such-model");
        assertEquals(ExitCode.BAD_INPUT, file.exitCode());
        assertTrue(file.err().matches("signalbox run: no directory for the journal could be made under .*/runs \\(.*/runs " +
            "is a file and not a directory\\); give one with --journal, or --no-journal\\.\\n"), file.err());

        Files.delete(directory.resolve("runs"));
        Files.createDirectories(directory.resolve("runs/9999"));
        final LaunchedCommand full = LaunchedCommand.in(directory, "run", "--model", "no-such-model");
        assertTrue(full.err().contains("/runs holds runs up to 9999; move or remove the last one, or give a " +
            "directory with --journal."), full.err());
    }

    @Test
    void shouldLeaveNoDirectoryIfTheCommandIsRefused() throws IOException, InterruptedException
    {
        assertEquals(ExitCode.BAD_INPUT, LaunchedCommand.in(directory, "run", "--model", "no-such-model").exitCode());
        assertFalse(Files.exists(directory.resolve("runs")));
    }
}
