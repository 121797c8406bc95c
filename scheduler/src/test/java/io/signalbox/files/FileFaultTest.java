// SPDX-License-Identifier: Apache-2.0
package io.signalbox.files;

import io.signalbox.files.FileFault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;

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
    void shouldNameWhatTheSystemRefusesAndNoClassOfJava()
    {
        assertEquals("permission denied for a", FileFault.reason(new AccessDeniedException("a")));
        assertEquals("a is not there", FileFault.reason(new NoSuchFileException("a")));
        assertEquals("no space left on device (a)",
            FileFault.reason(new FileSystemException("a", null, "No space left on device")));
        assertEquals("a cannot be used", FileFault.reason(new DirectoryNotEmptyException("a")));
        assertEquals("its bytes are not UTF-8 text", FileFault.reason(new MalformedInputException(1)));
        assertEquals("I/O error", FileFault.reason(new IOException("I/O error")));
        assertEquals("the system gave no reason", FileFault.reason(new IOException(" ")));
    }

    @Test
    void shouldNameTheKindOfAFileWhereADirectoryBelongs() throws IOException
    {
        final String file = Files.createFile(directory.resolve("file")).toString();
        final String link = Files.createSymbolicLink(directory.resolve("link"), directory.resolve("absent")).toString();

        assertEquals(file + " is a file and not a directory", FileFault.reason(new NotDirectoryException(file)));
        assertEquals(link + " is a symbolic link that leads nowhere and not a directory",
            FileFault.reason(new FileAlreadyExistsException(link)));
    }

    @Test
    void shouldRefuseAResultInOneSentence()
    {
        assertEquals("--out=a/b cannot be written (a is not there); give a file in a directory that exists.",
            FileFault.unwritten("--out", Path.of("a/b"), "file", new NoSuchFileException("a")).getMessage());
    }
}
