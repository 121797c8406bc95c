// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.disk;

import io.signalbox.journal.JournalException;
import io.signalbox.journal.JournalException.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.net.URI;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileLockInterruptionException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Messages for operations that the operating system refuses; it refuses none to root. */
final class StoreFaultTest
{
    @TempDir
    Path temporary;

    @Test
    void shouldSayThatThisUserMayNotRead()
    {
        final JournalException fault = StoreFault.reading(temporary, new AccessDeniedException(temporary.toString()));

        check(fault, Kind.ACCESS_DENIED, temporary + " may not be read by this user");
    }

    @Test
    void shouldSayThatThisUserMayNotWrite()
    {
        final String lock = temporary.resolve("lock").toString();
        final JournalException fault =
            StoreFault.writing("the lock cannot be taken", temporary, new AccessDeniedException(lock));

        check(fault, Kind.ACCESS_DENIED, lock + " may not be written by this user");
    }

    @Test
    void shouldSayThatAFileSystemIsReadOnly()
    {
        // The one file system that is read-only on every machine: the run-time image's.
        final Path gone = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/gone");

        final JournalException fault = StoreFault.writing("the lock cannot be taken", gone,
            new FileSystemException("/gone/lock", null, "Operation not permitted"));

        check(fault, Kind.ACCESS_DENIED, "the file system of /gone is read-only");
    }

    @Test
    void shouldSayThatAFileSystemWasReadOnlyIfItIsNotAnyMore()
    {
        final JournalException fault = StoreFault.writing("the lock cannot be taken", temporary,
            new FileSystemException("lock", null, "Read-only file system"));

        check(fault, Kind.ACCESS_DENIED, "the file system of " + temporary + " is read-only");
    }

    /** Free space does not help if a name is too long or a file is missing. */
    @Test
    void shouldGiveTheRemedyOfTheReason()
    {
        final String gone = temporary.resolve("segment-00001").toString();

        check(StoreFault.writing("it failed", temporary, new NoSuchFileException(gone)), Kind.STORE_FAILED,
            "there is no " + gone + "; let nothing remove files of " + temporary + " while it is used.");
        check(StoreFault.writing("it failed", temporary, new FileSystemException("a", null, "File name too long")),
            Kind.STORE_FAILED, "File name too long; give a directory with a shorter name.");
    }

    @Test
    void shouldSayThatTheThreadIsInterrupted()
    {
        final String thread = ": the thread " + Thread.currentThread().getName() + " is interrupted; call from one";

        check(StoreFault.writing("it failed", temporary, new FileLockInterruptionException()), Kind.STORE_FAILED,
            "it failed" + thread);
        check(StoreFault.reading(temporary, new ClosedByInterruptException()), Kind.STORE_FAILED,
            temporary + " cannot be read" + thread);
    }

    @Test
    void shouldGiveTheReasonOfTheOperatingSystem()
    {
        final FileSystemException cause = new FileSystemException("a", null, "Input/output error");

        check(StoreFault.reading(temporary, cause), Kind.STORE_FAILED, "cannot be read: Input/output error");
        check(StoreFault.writing("it failed", temporary, cause), Kind.STORE_FAILED, "it failed: Input/output error");
    }

    @Test
    void shouldGiveTheInnermostReasonOfTheStoreAndNoNameOfAClass()
    {
        final FileSystemException system = new FileSystemException("a", null, "Disk quota exceeded");

        check(StoreFault.storing(temporary, new IllegalStateException("not opened", new IllegalArgumentException(system))),
            Kind.STORE_FAILED, "cannot be written: Disk quota exceeded;");
        check(StoreFault.storing(temporary, new IllegalStateException("not opened")), Kind.STORE_FAILED, ": not opened;");
        check(StoreFault.storing(temporary, new IllegalStateException()), Kind.STORE_FAILED, "gives no reason;");
    }

    private static void check(final JournalException fault, final Kind kind, final String words)
    {
        assertEquals(kind, fault.kind());
        assertTrue(fault.getMessage().contains(words), fault.getMessage());
        assertFalse(fault.getMessage().contains("Exception"), fault.getMessage());
        assertTrue(fault.getMessage().endsWith("."), fault.getMessage());
    }
}
