// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.files.AtomicFile;
import io.signalbox.journal.disk.OwnerOnly;
import io.signalbox.journal.disk.PlainFile;
import io.signalbox.journal.disk.SpaceReserve;
import io.signalbox.journal.disk.StoreFault;
import io.signalbox.journal.segment.ByteSource;
import io.signalbox.journal.segment.DirectoryFiles;
import io.signalbox.journal.segment.ScanEnd;
import io.signalbox.journal.segment.SegmentName;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** Saves the parts that recovery removes from a journal, under unique names, and makes the rest durable. */
final class SetAside
{
    private static final int COPY_BYTES = 1 << 16;
    private static final String PART = ".part";

    private final Path directory;
    private final DirectoryFiles files;

    SetAside(final Path directory, final DirectoryFiles files)
    {
        this.directory = directory;
        this.files = files;
    }

    /** Moves segments without one whole record; returns where the first is now, {@code null} if there was none. */
    Path emptySegments(final ScanEnd end)
    {
        Path first = null;
        try
        {
            for (int segment = end.emptySegment(); segment >= 0 && segment < files.segmentCount(); segment++)
            {
                if (files.exists(segment))
                {
                    final Path target = freeName(segment);
                    Files.move(directory.resolve(SegmentName.of(segment)), target, StandardCopyOption.ATOMIC_MOVE);
                    first = first == null ? target : first;
                }
            }
            AtomicFile.syncDirectory(directory);
            return first;
        }
        catch (final IOException e)
        {
            throw StoreFault.writing("an empty segment of " + directory + " cannot be moved aside", directory, e);
        }
    }

    /**
     * Copies a torn tail; {@code null} if there is none. Syncs every segment, whatever level wrote it, and frees the space
     * that the writer had reserved.
     */
    Path tornTail(final ScanEnd end)
    {
        try
        {
            for (int segment = files.firstSegment(); segment < end.segments(); segment++)
            {
                force(segment);
            }
            final Path copied = end.tail().cutFrom() < 0 ? null : copy(end);
            if (end.tail().zerosFrom() >= 0)
            {
                SpaceReserve.releaseBehind(files.dataFile(end.segments() - 1), end.tail().zerosFrom());
            }
            return copied;
        }
        catch (final IOException e)
        {
            throw StoreFault.writing("the unfinished end of " + directory + " cannot be kept aside", directory, e);
        }
    }

    private Path freeName(final int segment)
    {
        final String name = SegmentName.of(segment) + SegmentName.CUT_SUFFIX;
        Path target = directory.resolve(name);
        for (int i = 2; Files.exists(target, LinkOption.NOFOLLOW_LINKS); i++)
        {
            target = directory.resolve(name + "." + i);
        }
        return target;
    }

    private void force(final int segment) throws IOException
    {
        final Path file = files.dataFile(segment);
        if (file == null)
        {
            throw new IOException(SegmentName.of(segment) + " lost its file of records while it was recovered");
        }
        sync(file);
    }

    /** Syncs a file, also what was written to it through mapped memory. */
    private static void sync(final Path file) throws IOException
    {
        try (FileChannel channel = PlainFile.open(file, StandardOpenOption.WRITE))
        {
            channel.force(true);
        }
    }

    /** Syncs a segment that was begun after the files were listed. */
    void syncNew(final int segment)
    {
        try
        {
            final Path file = DirectoryFiles.of(directory).dataFile(segment);
            if (file == null)
            {
                throw new IOException(SegmentName.of(segment) + " lost its file of records");
            }
            sync(file);
        }
        catch (final IOException e)
        {
            throw StoreFault.writing("the segment that continues " + directory + " cannot be synced", directory, e);
        }
    }

    /** Under another name first, so that an interrupted copy is never mistaken for a whole one. */
    private Path copy(final ScanEnd end) throws IOException
    {
        final int segment = end.segments() - 1;
        final Path target = freeName(segment);
        final Path part = target.resolveSibling(target.getFileName() + PART);
        try (ByteSource source = files.open(segment); AtomicFile aside = OwnerOnly.aside(target, part))
        {
            copy(source, end.tail().cutFrom(), end.tail().cutTo(), aside.channel());
            aside.sync();
            aside.publish();
        }
        return target;
    }

    /** Leaves zeros out, so that a hole remains one; the last byte of a torn tail is not zero. */
    static void copy(final ByteSource source, final long from, final long to, final FileChannel target)
        throws IOException
    {
        final byte[] buffer = new byte[COPY_BYTES];
        long position = source.nextData(from);
        while (position < to)
        {
            final int count = source.read(position, buffer, 0, (int)Math.min(COPY_BYTES, to - position));
            if (count == 0)
            {
                throw new IOException("the file of records became shorter while it was recovered; let no other program " +
                    "change it");
            }
            final ByteBuffer bytes = ByteBuffer.wrap(buffer, 0, count);
            while (bytes.hasRemaining())
            {
                target.write(bytes, position - from + bytes.position());
            }
            position = source.nextData(position + count);
        }
    }
}
