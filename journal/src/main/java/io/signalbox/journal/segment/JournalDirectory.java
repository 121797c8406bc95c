// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

import io.signalbox.journal.JournalException;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.JournalWriter;
import io.signalbox.journal.disk.OwnerOnly;
import io.signalbox.journal.disk.PlainFile;
import io.signalbox.journal.disk.StoreFault;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** The directory of a journal that is still to be written. */
public final class JournalDirectory
{
    private JournalDirectory()
    {
    }

    /**
     * Refuses a directory that a new journal cannot use; reads only. The directory may be missing or empty, or have only
     * the lock and the set-aside segments of a journal without a record. {@link JournalWriter#create} checks again while
     * it holds the lock.
     *
     * @throws JournalException ALREADY_EXISTS, LOCKED, NOT_A_JOURNAL or ACCESS_DENIED.
     */
    public static void requireFree(final Path directory)
    {
        if (owns(directory))
        {
            throw new JournalException(Kind.ALREADY_EXISTS, directory + " would be a part of the journal that is there " +
                "already; give a directory outside it.");
        }
        if (!Files.exists(directory, LinkOption.NOFOLLOW_LINKS))
        {
            return;
        }
        if (!Files.isDirectory(directory))
        {
            throw new JournalException(
                Kind.NOT_A_JOURNAL, directory + " is " + kind(directory) + " and not a directory; give another place.");
        }
        if (!Files.isWritable(directory))
        {
            throw new JournalException(Kind.ACCESS_DENIED, directory + " cannot be written, it is read-only or its " +
                "permissions forbid it; give a writable directory.");
        }
        final String holder = JournalLock.holder(directory);
        if (holder != null)
        {
            throw JournalLock.locked(directory, holder);
        }
        requireNoForeignEntry(directory);
    }

    /**
     * Whether a file or directory at this path is, or would be, part of a journal: the lock, a segment, the snapshots, a
     * file that recovery set aside, or anything within a segment or the snapshots. Symbolic links are followed; false if
     * the path cannot be read.
     */
    public static boolean owns(final Path path)
    {
        final Path real = real(path.toAbsolutePath());
        final Path parent = real.getParent();
        if (parent == null || parent.getFileName() == null)
        {
            return false;
        }
        final String name = real.getFileName().toString();
        final String within = parent.getFileName().toString();
        return SegmentName.number(within) >= 0 ||
            within.equals(SegmentName.SNAPSHOTS) && parent.getParent() != null && isJournal(parent.getParent()) ||
            isJournal(parent) &&
                (name.equals(SegmentName.LOCK) || name.equals(SegmentName.SNAPSHOTS) || SegmentName.number(name) >= 0 ||
                    SegmentName.isSetAside(name) || SegmentName.isSums(name) || JournalBeginning.isName(name));
    }

    /** Whether the directory has the first segment of a journal, or says that it was removed. */
    static boolean isJournal(final Path directory)
    {
        return Files.isDirectory(directory.resolve(SegmentName.of(0))) || JournalBeginning.isIn(directory);
    }

    /**
     * Whether a file or directory at this path is, or would be, anywhere below the directory of a journal. Symbolic links
     * are followed.
     */
    public static boolean contains(final Path path)
    {
        for (Path above = real(path.toAbsolutePath()).getParent(); above != null; above = above.getParent())
        {
            if (SegmentName.number(String.valueOf(above.getFileName())) >= 0 ||
                isJournal(above))
            {
                return true;
            }
        }
        return false;
    }

    private static String kind(final Path path)
    {
        if (!Files.exists(path))
        {
            return "a symbolic link that leads nowhere";
        }
        return Files.isRegularFile(path) ? "a file" : "a pipe, a socket or a device";
    }

    /** A file that does not exist yet is identified by its directory. */
    private static Path real(final Path path)
    {
        try
        {
            if (Files.exists(path) || path.getParent() == null)
            {
                return path.toRealPath();
            }
            return path.getParent().toRealPath().resolve(path.getFileName());
        }
        catch (final IOException e)
        {
            return path.normalize();
        }
    }

    /** Refuses if the directory has anything that a new journal could collide with. */
    static void requireNoForeignEntry(final Path directory)
    {
        try (DirectoryStream<Path> entries = PlainFile.list(directory, "*"))
        {
            for (final Path entry : entries)
            {
                final String name = entry.getFileName().toString();
                if (SegmentName.number(name) >= 0)
                {
                    throw occupied(directory);
                }
                if (!name.equals(SegmentName.LOCK) && !SegmentName.isSetAside(name))
                {
                    throw new JournalException(Kind.ALREADY_EXISTS, directory + " is not empty, it holds " + name +
                        "; journals are never overwritten. Use a new or empty directory.");
                }
            }
        }
        catch (final IOException e)
        {
            throw StoreFault.reading(directory, e);
        }
        catch (final DirectoryIteratorException e)
        {
            throw StoreFault.reading(directory, e.getCause());
        }
    }

    /** Whether it was created. */
    public static boolean create(final Path directory)
    {
        try
        {
            return OwnerOnly.createDirectory(directory);
        }
        catch (final IOException e)
        {
            throw StoreFault.writing("the journal's directory " + directory + " cannot be created", directory, e);
        }
    }

    /** Another process may have used the directory until the lock was taken. */
    public static void begin(final Path directory, final JournalLock lock)
    {
        requireNoForeignEntry(directory);
        lock.requireOwnFormat();
        try
        {
            OwnerOnly.restrictDirectory(directory);
        }
        catch (final IOException e)
        {
            throw StoreFault.writing(directory + " cannot be restricted to its owner", directory, e);
        }
        lock.sign();
    }

    private static JournalException occupied(final Path directory)
    {
        return new JournalException(Kind.ALREADY_EXISTS, directory + " is not empty, it holds " + (beganNever(directory)
            ? "a segment without one whole record: a writer was stopped before its first one; 'signalbox replay " +
                directory + " --recover' moves it aside, and then the directory can be used."
            : "a journal; journals are never overwritten, and a new run cannot continue one. Use a new or empty " +
                "directory."));
    }

    private static boolean beganNever(final Path directory)
    {
        try (JournalScanner scanner = JournalScanner.open(directory))
        {
            return !scanner.next();
        }
        catch (final JournalException e)
        {
            return e.kind() == Kind.NO_RECORD;
        }
    }
}
