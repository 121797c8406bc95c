// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.files.FileFault;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.disk.PlainFile;
import io.signalbox.journal.disk.StoreFault;
import io.signalbox.journal.segment.DirectoryFiles;
import io.signalbox.journal.segment.JournalDirectory;
import io.signalbox.journal.segment.JournalLock;
import io.signalbox.journal.segment.JournalScanner;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The directories of runs below a directory. It removes a run only while it holds the run's lock, and only if the directory
 * has the files of a run and no others.
 */
public final class RunDirectories
{
    private static final String REMOVED = ".removed";

    private RunDirectories()
    {
    }

    /**
     * Lists every directory directly below {@code parent}, by name. Links and files are left out.
     *
     * @throws JournalException NOT_A_JOURNAL if {@code parent} is no directory; ACCESS_DENIED or STORE_FAILED if it cannot
     *     be read.
     */
    public static List<RunDirectory> below(final Path parent)
    {
        if (!Files.isDirectory(parent))
        {
            throw new JournalException(
                Kind.NOT_A_JOURNAL, parent + " is not a directory; give one that has the directories of runs.");
        }
        final List<RunDirectory> found = new ArrayList<>();
        try (DirectoryStream<Path> entries = PlainFile.list(parent, "*"))
        {
            for (final Path entry : entries)
            {
                if (Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS))
                {
                    found.add(of(entry));
                }
            }
        }
        catch (final IOException e)
        {
            throw StoreFault.reading(parent, e);
        }
        catch (final DirectoryIteratorException e)
        {
            throw StoreFault.reading(parent, e.getCause());
        }
        found.sort(Comparator.comparing(RunDirectory::path));
        return found;
    }

    /** Whether the name is that of a directory that is being removed, or whose removal was stopped. */
    static boolean isLeftover(final Path directory)
    {
        return directory.getFileName().toString().endsWith(REMOVED);
    }

    /** Looks at one directory, and writes nothing. */
    public static RunDirectory of(final Path directory)
    {
        final RunFiles files;
        try
        {
            files = RunFiles.of(directory);
        }
        catch (final IOException e)
        {
            return new RunDirectory(directory, RunDirectory.State.FOREIGN,
                "it cannot be read (" + FileFault.reason(e) + ")", 0, 0, 0, null, Instant.EPOCH);
        }
        if (files.foreign() != null)
        {
            return run(directory, RunDirectory.State.FOREIGN, files.foreign(), files, null);
        }
        final String holder = JournalLock.holderBesideFile(directory);
        try
        {
            final Instant began = began(directory);
            return run(directory, holder == null ? RunDirectory.State.IDLE : RunDirectory.State.BEING_WRITTEN, holder, files,
                began);
        }
        catch (final JournalException e)
        {
            if (holder != null)
            {
                return run(directory, RunDirectory.State.BEING_WRITTEN, holder, files, null);
            }
            final boolean isHalfRemoved = isLeftover(directory);
            return run(directory, isHalfRemoved ? RunDirectory.State.IDLE : RunDirectory.State.DAMAGED,
                isHalfRemoved ? null : "its first record cannot be read", files, null);
        }
    }

    private static RunDirectory run(
        final Path directory,
        final RunDirectory.State state,
        final String reason,
        final RunFiles files,
        final Instant began)
    {
        return new RunDirectory(
            directory, state, reason, files.segments(), files.bytes(), files.snapshotBytes(), began, files.written());
    }

    /** Wall time of record 0. */
    private static Instant began(final Path directory)
    {
        final long nanos = begunWallNanos(directory);
        return Instant.ofEpochSecond(nanos / 1_000_000_000L, nanos % 1_000_000_000L);
    }

    /** Wall time of record 0, also if that was removed. */
    static long begunWallNanos(final Path directory)
    {
        final DirectoryFiles files = DirectoryFiles.of(directory);
        try (JournalScanner scanner = JournalScanner.recovering(files))
        {
            if (!scanner.next())
            {
                throw new JournalException(Kind.NO_RECORD, directory + " has no whole record.");
            }
            return files.beginning() == null ? scanner.wallTimeNanos() : files.beginning().begunWallNanos();
        }
    }

    /** The files that go; a directory that became a link, or has a foreign file by now, gets its name back. */
    private static RunFiles filesOf(final Path aside, final Path directory) throws IOException
    {
        try
        {
            if (!Files.isDirectory(aside, LinkOption.NOFOLLOW_LINKS))
            {
                throw new JournalException(Kind.FOREIGN_FILE, directory + " is not removed: it became a link; remove the " +
                    "link by hand.");
            }
            final RunFiles files = RunFiles.of(aside);
            requireOwnFiles(directory, files);
            return files;
        }
        catch (final JournalException e)
        {
            if (!aside.equals(directory))
            {
                Files.move(aside, directory);
            }
            throw e;
        }
    }

    /**
     * Checks that a journal can begin in a directory.
     *
     * @throws JournalException ALREADY_EXISTS, LOCKED, NOT_A_JOURNAL or ACCESS_DENIED.
     */
    public static void requireFree(final Path directory)
    {
        JournalDirectory.requireFree(directory);
    }

    /** Whether a file or directory at this path is, or would be, part of a journal. Symbolic links are followed. */
    public static boolean owns(final Path path)
    {
        return JournalDirectory.owns(path);
    }

    /** Whether a file or directory at this path is, or would be, anywhere below the directory of a journal. */
    public static boolean contains(final Path path)
    {
        return JournalDirectory.contains(path);
    }

    /**
     * Removes a run: looks at the directory again, takes its lock, renames it to a name that says so, and removes the files
     * that a run has.
     *
     * @throws JournalException LOCKED if a process writes it; FOREIGN_FILE if it is no run, or has other files;
     *     ACCESS_DENIED or STORE_FAILED if a file cannot be removed.
     */
    public static void remove(final Path directory)
    {
        requireRemovable(directory);
        final JournalLock lock = JournalLock.acquireUnsigned(directory);
        try
        {
            final Path aside =
                isLeftover(directory) ? directory : directory.resolveSibling(directory.getFileName() + REMOVED);
            // Under the lock: what is there now is what goes.
            requireOwnFiles(directory, RunFiles.of(directory));
            if (!aside.equals(directory))
            {
                Files.move(directory, aside);
            }
            final RunFiles files = filesOf(aside, directory);
            for (final Path file : files.files())
            {
                Files.delete(file);
            }
            for (final Path inner : files.directories())
            {
                Files.delete(inner);
            }
        }
        catch (final IOException e)
        {
            throw StoreFault.writing(directory + " cannot be removed", directory, e);
        }
        finally
        {
            lock.close();
        }
    }

    private static void requireRemovable(final Path directory)
    {
        final RunDirectory found = of(directory);
        switch (found.state())
        {
            case IDLE ->
            {
            }
            case BEING_WRITTEN -> throw JournalLock.locked(directory, found.reason());
            case DAMAGED, FOREIGN -> throw new JournalException(Kind.FOREIGN_FILE, directory + " is not removed: " +
                found.reason() + "; remove it by hand if nobody needs it.");
        }
    }

    private static void requireOwnFiles(final Path directory, final RunFiles files)
    {
        if (files.foreign() != null)
        {
            throw new JournalException(Kind.FOREIGN_FILE, directory + " is not removed: " + files.foreign() +
                "; remove it by hand if nobody needs it.");
        }
    }
}
