// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.disk;

import io.signalbox.files.FileFault;
import io.signalbox.journal.JournalException;
import io.signalbox.journal.JournalException.Kind;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileLockInterruptionException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;

/** Describes the operations that the operating system refused, in a user's terms and not in those of Java. */
public final class StoreFault
{
    private StoreFault()
    {
    }

    public static JournalException reading(final Path path, final IOException e)
    {
        if (isInterrupt(e))
        {
            return interrupted(path + " cannot be read", e);
        }
        if (e instanceof NotDirectoryException)
        {
            return new JournalException(Kind.FOREIGN_FILE,
                path + " is not a directory, as a segment is; restore it from a copy.", e);
        }
        if (e instanceof AccessDeniedException)
        {
            return new JournalException(Kind.ACCESS_DENIED,
                path + " may not be read by this user; change its permissions or the user.", e);
        }
        if (e instanceof NoSuchFileException)
        {
            return new JournalException(Kind.STORE_FAILED, path + " was taken away while it was read; read it again.", e);
        }
        final String limit = limit(FileFault.system(e));
        return new JournalException(Kind.STORE_FAILED, path + " cannot be read: " +
            (limit == null ? reason(e) + "; check the disk." : limit + "; raise the limit."), e);
    }

    /** @param failed the operation that failed, as the beginning of a sentence. */
    public static JournalException writing(final String failed, final Path directory, final IOException e)
    {
        if (isInterrupt(e))
        {
            return interrupted(failed, e);
        }
        final String system = FileFault.system(e);
        // It may have been mounted otherwise between the failure and this question.
        if (system.contains("Read-only file system") || isReadOnly(directory))
        {
            return new JournalException(Kind.ACCESS_DENIED, failed + ": the file system of " + directory +
                " is read-only; give a directory that can be written, for example a copy.", e);
        }
        if (e instanceof AccessDeniedException)
        {
            return new JournalException(Kind.ACCESS_DENIED, failed + ": " + ((AccessDeniedException)e).getFile() +
                " may not be written by this user; change its permissions or the user.", e);
        }
        final String limit = limit(system);
        if (limit != null)
        {
            return new JournalException(Kind.STORE_FAILED, failed + ": " + limit + "; raise the limit.", e);
        }
        if (system.contains("No space left on device") || system.contains("quota exceeded"))
        {
            return new JournalException(Kind.DISK_FULL, failed + ": the disk under " + directory + " is full, or its " +
                "quota or its inodes are used up (" + directory.toFile().getUsableSpace() + " bytes free); free some " +
                "space.", e);
        }
        final String file = e instanceof FileSystemException fault ? fault.getFile() : null;
        final String place = file == null || failed.contains(file) || reason(e).contains(file) ? "" : file + ": ";
        return new JournalException(Kind.STORE_FAILED, failed + ": " + place + reason(e) + "; " +
            (e instanceof NoSuchFileException ? "let nothing remove files of " + directory + " while it is used." :
                system.contains("name too long") ? "give a directory with a shorter name." :
                "check that " + directory + " is writable and has room."), e);
    }

    /** Java closes the file of a thread that is interrupted. */
    private static boolean isInterrupt(final IOException e)
    {
        return e instanceof ClosedByInterruptException || e instanceof FileLockInterruptionException;
    }

    private static JournalException interrupted(final String failed, final IOException e)
    {
        return new JournalException(Kind.STORE_FAILED, failed + ": the thread " + Thread.currentThread().getName() +
            " is interrupted; call from one that is not.", e);
    }

    /** A failure of the store, as any exception that Chronicle throws for it. */
    public static JournalException storing(final Path directory, final Throwable failure)
    {
        for (Throwable cause = failure; cause != null; cause = cause.getCause())
        {
            if (cause instanceof JournalException)
            {
                return (JournalException)cause;
            }
            final String limit = limit(String.valueOf(cause.getMessage()));
            if (limit != null)
            {
                return new JournalException(Kind.STORE_FAILED, "the journal " + directory + " cannot be written: " + limit +
                    "; raise the limit, then recover the journal if it has begun.", failure);
            }
            if (cause instanceof InternalError && String.valueOf(cause.getMessage()).contains("unsafe memory access"))
            {
                return faulted(directory, failure);
            }
        }
        return new JournalException(Kind.STORE_FAILED, "the journal " + directory + " cannot be written: " +
            reason(failure) + "; check the disk, then recover the journal.", failure);
    }

    /** A write to mapped memory without a disk block. */
    private static JournalException faulted(final Path directory, final Throwable failure)
    {
        final long usable = directory.toFile().getUsableSpace();
        return new JournalException(Kind.STORE_FAILED, "the journal " + directory + " cannot be written: its disk refused " +
            "a write to a mapped file, because it is full or has failed (" + usable + " bytes free); free some space or " +
            "check the disk, then recover the journal.", failure);
    }

    /** The limit of the process that an operating system's message means; {@code null} if it means none. */
    private static String limit(final String message)
    {
        if (message.contains("File too large"))
        {
            return "its file would exceed the file size limit of this process (ulimit -f)";
        }
        if (message.contains("Too many open files"))
        {
            return "this process may open no more files (ulimit -n)";
        }
        return message.contains("Map failed") || message.contains("Cannot allocate memory")
            ? "this process may map no more memory (ulimit -v, or vm.max_map_count)" : null;
    }

    private static boolean isReadOnly(final Path directory)
    {
        Path existing = directory.toAbsolutePath();
        while (existing.getParent() != null && !Files.exists(existing))
        {
            existing = existing.getParent();
        }
        try
        {
            return Files.getFileStore(existing).isReadOnly();
        }
        catch (final IOException e)
        {
            return false;
        }
    }

    /** The message of the innermost cause: the operating system's, if it gave one. */
    public static String reason(final Throwable failure)
    {
        String reason = null;
        for (Throwable cause = failure; cause != null; cause = cause.getCause())
        {
            final String text = cause instanceof IOException fault ? FileFault.system(fault) : cause.getMessage();
            reason = text == null || text.isBlank() ? reason : text;
        }
        return reason == null ? "Chronicle Queue gives no reason" : reason;
    }

    private static String reason(final IOException e)
    {
        if (e instanceof DirectoryNotEmptyException)
        {
            return "it is a directory that is not empty";
        }
        if (e instanceof NoSuchFileException missing)
        {
            return "there is no " + missing.getFile();
        }
        if (e instanceof FileAlreadyExistsException taken)
        {
            return taken.getFile() + " is in the way";
        }
        final String system = FileFault.system(e);
        return system.isEmpty() ? "the operating system gives no reason" : system;
    }
}
