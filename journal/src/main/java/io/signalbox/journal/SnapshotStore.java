// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import org.agrona.ExpandableArrayBuffer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The snapshots of a journal, in its directory {@code snapshots}. A snapshot is written aside, synced, renamed, and its name
 * synced. Any number of processes may write at once: two snapshots of one place have the same bytes.
 */
final class SnapshotStore
{
    static final String DIRECTORY = "snapshots";
    /** Snapshots that stay in any case: the newest may turn out to be damaged. */
    static final int ALWAYS_KEPT = 2;
    private static final Pattern NAME = Pattern.compile("snapshot-(\\d{16})");
    private static final String PART = ".part";

    private final Path directory;
    private final int mostKept;

    /** A file that has the name of a snapshot behind so many records. */
    record Named(long records, Path file)
    {
    }

    /** @param mostKept at least {@link #ALWAYS_KEPT}. */
    SnapshotStore(final Path journal, final int mostKept)
    {
        directory = journal.resolve(DIRECTORY);
        this.mostKept = mostKept;
    }

    static String name(final long records)
    {
        return String.format(Locale.ROOT, "snapshot-%016d", records);
    }

    /** Writes a snapshot, then thins the others out. */
    void write(final StateSnapshot snapshot)
    {
        final ExpandableArrayBuffer bytes = new ExpandableArrayBuffer(1 << 16);
        final int length = SnapshotFile.encode(snapshot, bytes);
        final Path file = directory.resolve(name(snapshot.mark().place().records()));
        final Path part = directory.resolve(file.getFileName() + "." + ProcessHandle.current().pid() + PART);
        try
        {
            OwnerOnly.createDirectory(directory);
            Files.deleteIfExists(part);
            OwnerOnly.createFile(part);
            try (FileChannel channel = FileChannel.open(part, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS))
            {
                final ByteBuffer source = ByteBuffer.wrap(bytes.byteArray(), 0, length);
                while (source.hasRemaining())
                {
                    channel.write(source);
                }
                channel.force(true);
            }
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            OwnerOnly.syncDirectory(directory);
            thinOut();
        }
        catch (final IOException e)
        {
            removeQuietly(part);
            throw StoreFault.writing("the snapshot " + file + " cannot be written", directory, e);
        }
    }

    private static void removeQuietly(final Path part)
    {
        try
        {
            Files.deleteIfExists(part);
        }
        catch (final IOException e)
        {
            // The file that is left has no snapshot's name.
            return;
        }
    }

    /** Removes the one whose neighbours are closest to each other, until few enough are left. */
    private void thinOut() throws IOException
    {
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
            Files.deleteIfExists(kept.remove(least).file);
        }
    }

    /** Files with the names of snapshots. Other names, links and directories are ignored. */
    List<Named> oldestFirst()
    {
        final List<Named> found = new ArrayList<>();
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS))
        {
            return found;
        }
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory))
        {
            for (final Path entry : entries)
            {
                final Matcher name = NAME.matcher(entry.getFileName().toString());
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

    /**
     * Reads a snapshot.
     *
     * @throws UnfitSnapshotException if it is damaged, gone, or of another place than its name says.
     */
    static StateSnapshot read(final Named named)
    {
        try
        {
            final byte[] bytes = readAll(named.file);
            final StateSnapshot snapshot = SnapshotFile.decode(bytes);
            if (snapshot.mark().place().records() != named.records)
            {
                throw new UnfitSnapshotException("it is the one behind record " +
                    (snapshot.mark().place().records() - 1) + ", under another name");
            }
            return snapshot;
        }
        catch (final NoSuchFileException e)
        {
            throw new UnfitSnapshotException("it was removed", e);
        }
        catch (final IOException e)
        {
            throw new UnfitSnapshotException("it cannot be read (" + StoreFault.reason(e) + ")", e);
        }
    }

    private static byte[] readAll(final Path file) throws IOException
    {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS))
        {
            final long length = channel.size();
            if (length > SnapshotFile.MAX_BYTES)
            {
                throw new UnfitSnapshotException("it has " + length + " bytes, and no snapshot has more than " +
                    SnapshotFile.MAX_BYTES);
            }
            final ByteBuffer bytes = ByteBuffer.allocate((int)length);
            while (bytes.hasRemaining() && channel.read(bytes) >= 0)
            {
                // Until the buffer is full, or the file has become shorter.
                continue;
            }
            return bytes.array();
        }
    }

    /** Latest logical time of a group ahead of a snapshot, as its header has it; not checked. */
    static long timeNanos(final Named named)
    {
        try (FileChannel channel = FileChannel.open(named.file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS))
        {
            final ByteBuffer header = ByteBuffer.allocate(SnapshotFile.HEADER_BYTES);
            channel.read(header, 0);
            return SnapshotFile.timeNanos(header.array());
        }
        catch (final IOException e)
        {
            return Long.MAX_VALUE;
        }
    }
}
