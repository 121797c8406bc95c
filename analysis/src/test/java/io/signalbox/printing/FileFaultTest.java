// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** The remedy fits the reason: free space does not help if a name is too long. */
class FileFaultTest
{
    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "File name too long | give a file with a shorter name",
        "Read-only file system | give a file in a directory that you may write",
        "Not a directory | give a file in a directory that exists",
        "File too large | raise the limit of the size of files (ulimit -f)",
        "Too many open files | raise the limit of open files (ulimit -n)",
        "No space left on device | give a file in a directory with room",
        "Disk quota exceeded | give a file in a directory with room"})
    void shouldGiveTheRemedyOfTheReason(final String reason, final String remedy)
    {
        assertEquals(remedy, FileFault.remedy(new FileSystemException("a", null, reason), "file"));
        assertEquals(remedy, FileFault.remedy(new IOException(reason), "file"));
    }

    @Test
    void shouldGiveTheRemedyOfAnExceptionWithoutAReason()
    {
        assertEquals("give a directory in a directory that you may write",
            FileFault.remedy(new AccessDeniedException("a"), "directory"));
        assertEquals("give a file in a directory that exists", FileFault.remedy(new NoSuchFileException("a"), "file"));
        assertEquals(
            "give a file in a directory that exists", FileFault.remedy(new FileAlreadyExistsException("a"), "file"));
        assertEquals("give a file in a directory with room", FileFault.remedy(new IOException(), "file"));
    }

    @Test
    void shouldAskForAShorterNameOfAResult()
    {
        final Path longName = directory.resolve("n".repeat(300));

        assertEquals("--out=" + longName + " cannot be written (file name too long (" + part(longName) +
            ")); give a file with a shorter name.",
            assertThrows(ConfigException.class, () -> NewFile.create("--out", longName)).getMessage());
    }

    private static String part(final Path file)
    {
        return file.resolveSibling("." + file.getFileName() + "." + ProcessHandle.current().pid() + ".part").toString();
    }

    @Test
    void shouldAskForAFileIfADirectoryIsGiven() throws IOException
    {
        final Path place = Files.createDirectory(directory.resolve("place"));

        assertEquals("--json-file=" + place + " cannot be written: it is a directory; give the name of a file.",
            assertThrows(ConfigException.class, () -> OutputFile.check("--json-file", place)).getMessage());
    }
}
