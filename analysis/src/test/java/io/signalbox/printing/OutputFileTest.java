// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Places that cannot hold a result are refused before the work. */
class OutputFileTest
{
    @TempDir
    private Path directory;

    @Test
    void shouldAskForAShorterNameOfAResult()
    {
        final Path longName = directory.resolve("n".repeat(300));

        final String refusal =
            assertThrows(ConfigException.class, () -> NewFile.create("--out", longName)).getMessage();
        assertTrue(
            refusal.startsWith("--out=" + longName + " cannot be written (file name too long (" + directory), refusal);
        assertTrue(refusal.endsWith(".part)); give a file with a shorter name."), refusal);
    }

    @Test
    void shouldAskForAFileIfADirectoryIsGiven() throws IOException
    {
        final Path place = Files.createDirectory(directory.resolve("place"));

        assertEquals("--json-file=" + place + " cannot be written: it is a directory; give the name of a file.",
            assertThrows(ConfigException.class, () -> OutputFile.check("--json-file", place)).getMessage());
    }
}
