// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class JournalProbeTest
{
    @TempDir
    private Path directory;

    @AfterEach
    void shouldLeaveNothingBehind() throws IOException
    {
        try (Stream<Path> left = Files.list(directory))
        {
            assertEquals(List.of(), left.toList());
        }
    }

    @Test
    void shouldVerifyTheJournalOfTheRun() throws IOException
    {
        final Verification found =
            JournalProbe.run(directory, Runs.settings(), journal -> Runs.append((JournalWriter)journal, 9));

        assertTrue(found.matches());
        assertEquals(Ending.CLOSED, found.ending());
        assertEquals(9, found.groups());
    }

    @Test
    void shouldPassOnTheFailureOfTheRun()
    {
        final IllegalStateException thrown = assertThrows(IllegalStateException.class, () ->
            JournalProbe.run(directory, Runs.settings(), journal ->
            {
                Runs.append((JournalWriter)journal, 3);
                throw new IllegalStateException("planted");
            }));

        assertEquals("planted", thrown.getMessage());
    }

    @Test
    void shouldRefuseADirectoryThatIsMissing()
    {
        assertThrows(NoSuchFileException.class, () ->
            JournalProbe.run(directory.resolve("missing"), Runs.settings(), journal ->
            {
            }));
    }
}
