// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.printing;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** The faults that this machine may not show, since its user may write everywhere. */
class FileFaultTest
{
    @Test
    void shouldSayInWordsWhyAFileCannotBeUsed()
    {
        assertEquals("permission denied for a/b", FileFault.reason(new AccessDeniedException("a/b")));
        assertEquals("a/b is not there", FileFault.reason(new NoSuchFileException("a/b")));
        assertEquals("a/b is a file and not a directory", FileFault.reason(new NotDirectoryException("a/b")));
        assertEquals("read-only file system (a/b)",
            FileFault.reason(new FileSystemException("a/b", null, "Read-only file system")));
        assertEquals("a/b cannot be used", FileFault.reason(new FileSystemException("a/b")));
        assertEquals("no space left on device", FileFault.reason(new IOException("No space left on device")));
    }

    @Test
    void shouldLetTheUserMendWhatIsOutsideAndReportTheRest()
    {
        final RuntimeException denied = new RuntimeException(new AccessDeniedException("a/b"));
        assertEquals(ExitCode.BAD_INPUT, CommandFailure.of(denied).exitCode());
        assertEquals(ExitCode.BAD_INPUT, CommandFailure.of(new OutOfMemoryError()).exitCode());
        assertEquals(ExitCode.INTERNAL, CommandFailure.of(new IllegalStateException("x")).exitCode());
    }
}
