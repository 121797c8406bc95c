// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.snapshot;

import io.signalbox.files.AtomicFile;
import io.signalbox.journal.JournalException;
import io.signalbox.journal.disk.OwnerOnly;
import io.signalbox.journal.disk.PlainFile;
import io.signalbox.journal.disk.Removing;
import io.signalbox.journal.disk.SpaceReserve;
import io.signalbox.journal.disk.StoreFault;
import io.signalbox.journal.segment.SegmentName;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The snapshots of one kind in the directory {@code snapshots} of a journal. A snapshot is written aside, synced, renamed,
 * and its name synced. Any number of processes may write at once: two snapshots of one place have the same bytes.
 */
public final class SnapshotFiles
{
    /** Snapshots that stay in any case: the newest may turn out to be damaged. */
    public static final int ALWAYS_KEPT = 2;
    private static final Pattern PART = Pattern.compile("[a-z]+-\\d{16}\\.(\\d{1,18})\\.part");
    private static final Duration LEFT_AFTER = Duration.ofMinutes(10);
    private static final Object WRITING = new Object();

    private final Path directory;
    private final String kind;
    private final Pattern names;
    private final int mostKept;

    /** A file that has the name of a snapshot behind so many records. */
    public record Named(long records, Path file)
    {
    }

    /** Writes the bytes of a snapshot. */
    interface Content
    {
        void writeTo(FileChannel channel) throws IOException;
    }

    /** @param mostKept at least {@link #ALWAYS_KEPT}. */
    SnapshotFiles(final Path journal, final String kind, final int mostKept)
    {
        directory = journal.resolve(SegmentName.SNAPSHOTS);
        this.kind = kind;
        names = Pattern.compile(kind + "-(\\d{16})");
        this.mostKept = mostKept;
    }

    public static String name(final String kind, final long records)
    {
        return String.format(Locale.ROOT, "%s-%016d", kind, records);
    }

    /**
     * Writes a snapshot behind so many records. Two threads of a process would have one name for what they write aside.
     *
     * @throws JournalException DISK_FULL, before a byte is written, if the disk has no room for one as large as the newest
     *     and as much again, which the journal needs meanwhile; STORE_FAILED or ACCESS_DENIED.
     */
    void write(final long records, final Content content)
    {
        synchronized (WRITING)
        {
            writeAlone(records, content);
        }
    }

    private void writeAlone(final long records, final Content content)
    {
        final Path file = directory.resolve(name(kind, records));
        final Path part = directory.resolve(file.getFileName() + "." + ProcessHandle.current().pid() + ".part");
        try
        {
            OwnerOnly.createDirectory(directory);
            removeParts();
            SpaceReserve.requireRoom(directory, 2 * newestBytes());
            try (AtomicFile aside = OwnerOnly.aside(file, part))
            {
                content.writeTo(aside.channel());
                aside.sync();
                aside.publish();
            }
        }
        catch (final IOException e)
        {
            throw StoreFault.writing("the snapshot " + file + " cannot be written", directory, e);
        }
    }

    /** Removes what processes have left that were killed while they wrote: their names have the process. */
    private void removeParts() throws IOException
    {
        final long own = ProcessHandle.current().pid();
        try (DirectoryStream<Path> entries = PlainFile.list(directory, "*"))
        {
            for (final Path entry : entries)
            {
                final Matcher name = PART.matcher(entry.getFileName().toString());
                if (name.matches() && Files.isRegularFile(entry, LinkOption.NOFOLLOW_LINKS))
                {
                    final long writer = Long.parseLong(name.group(1));
                    final boolean isOwn = writer == own && name.group().startsWith(kind + "-");
                    if (isOwn || writer != own && ProcessHandle.of(writer).isEmpty() && isOld(entry))
                    {
                        Files.deleteIfExists(entry);
                    }
                }
            }
        }
        catch (final DirectoryIteratorException e)
        {
            throw e.getCause();
        }
    }

    /** A process of another container may be at work, which has no number here. */
    private static boolean isOld(final Path part) throws IOException
    {
        final Instant written = Files.getLastModifiedTime(part, LinkOption.NOFOLLOW_LINKS).toInstant();
        return written.plus(LEFT_AFTER).isBefore(Instant.now());
    }

    private long newestBytes() throws IOException
    {
        final List<Named> newestFirst = newestFirst();
        return newestFirst.isEmpty() ? 0 : Files.size(newestFirst.get(0).file);
    }

    /**
     * Removes the one whose neighbours are closest to each other, until few enough are left.
     *
     * @throws JournalException STORE_FAILED or ACCESS_DENIED if one cannot be removed; the others that are too many were.
     */
    void thinOut()
    {
        final Removing removing = new Removing(directory);
        final List<Named> kept = new ArrayList<>(oldestFirst());
        while (kept.size() > mostKept)
        {
            int least = 0;
            long smallest = Long.MAX_VALUE;
            for (int i = 0; i < kept.size() - ALWAYS_KEPT; i++)
            {
                final long gap = kept.get(i + 1).records - (i == 0 ? 0 : kept.get(i - 1).records);
                least = gap < smallest ? i : least;
                smallest = Math.min(gap, smallest);
            }
            removing.remove(kept.remove(least).file);
        }
        removing.requireDone();
    }

    /** Files with the names of snapshots. Other names, links and directories are ignored. */
    List<Named> oldestFirst()
    {
        final List<Named> found = new ArrayList<>();
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS))
        {
            return found;
        }
        try (DirectoryStream<Path> entries = PlainFile.list(directory, "*"))
        {
            for (final Path entry : entries)
            {
                final Matcher name = names.matcher(entry.getFileName().toString());
                if (name.matches() && Files.isRegularFile(entry, LinkOption.NOFOLLOW_LINKS))
                {
                    found.add(new Named(Long.parseLong(name.group(1)), entry));
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
        found.sort(Comparator.comparingLong(Named::records));
        return found;
    }

    List<Named> newestFirst()
    {
        final List<Named> newestFirst = new ArrayList<>(oldestFirst());
        Collections.reverse(newestFirst);
        return newestFirst;
    }
}
