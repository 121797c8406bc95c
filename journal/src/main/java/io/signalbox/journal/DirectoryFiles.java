// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.JournalException.Kind;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.TreeMap;

/** The files of a journal in its directory, opened for reading and never mapped. */
final class DirectoryFiles implements JournalFiles
{
    private static final int TRANSFER_BYTES = 1 << 20;

    private final Path directory;
    private final TreeMap<Integer, Path> segments;

    private DirectoryFiles(final Path directory, final TreeMap<Integer, Path> segments)
    {
        this.directory = directory;
        this.segments = segments;
    }

    /** @throws JournalException NOT_A_JOURNAL where there is no such directory. */
    static DirectoryFiles of(final Path directory)
    {
        if (!Files.isDirectory(directory))
        {
            throw new JournalException(Kind.NOT_A_JOURNAL,
                directory + " is not a directory; give the directory of a journal.");
        }
        final TreeMap<Integer, Path> segments = new TreeMap<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory))
        {
            for (final Path entry : entries)
            {
                final int number = SegmentName.number(entry.getFileName().toString());
                if (number >= 0)
                {
                    segments.put(number, entry);
                }
            }
        }
        catch (final IOException e)
        {
            throw FileFault.reading(directory, e);
        }
        return new DirectoryFiles(directory, segments);
    }

    @Override
    public int segmentCount()
    {
        return segments.isEmpty() ? 0 : segments.lastKey() + 1;
    }

    @Override
    public boolean exists(final int segment)
    {
        return segments.containsKey(segment);
    }

    @Override
    public String name(final int segment)
    {
        final Path file = dataFile(segment);
        return file == null ? SegmentName.of(segment) : directory.relativize(file).toString();
    }

    @Override
    public String journal()
    {
        return directory.toString();
    }

    /** Chronicle's file of the segment; null where there is none. */
    Path dataFile(final int segment)
    {
        final Path path = segments.get(segment);
        Path found = null;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(path, "*" + SegmentName.DATA_SUFFIX))
        {
            for (final Path file : files)
            {
                if (found != null)
                {
                    throw new JournalException(Kind.FOREIGN_FILE, "segment " + segment + " holds two files of records, " +
                        found.getFileName() + " and " + file.getFileName() + "; remove the one that is not its own.",
                        segment, 0, -1, null);
                }
                found = file;
            }
        }
        catch (final IOException e)
        {
            throw FileFault.reading(path, e);
        }
        return found;
    }

    @Override
    public ByteSource open(final int segment)
    {
        final Path file = dataFile(segment);
        if (file == null)
        {
            return null;
        }
        try
        {
            final FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
            return new ChannelSource(file, channel, channel.size());
        }
        catch (final IOException e)
        {
            throw FileFault.reading(file, e);
        }
    }

    /** Reads through one direct buffer, so that the JDK keeps none of its own per thread. */
    private static final class ChannelSource implements ByteSource
    {
        private final Path file;
        private final FileChannel channel;
        private final long length;
        private final ByteBuffer transfer = ByteBuffer.allocateDirect(TRANSFER_BYTES);

        private ChannelSource(final Path file, final FileChannel channel, final long length)
        {
            this.file = file;
            this.channel = channel;
            this.length = length;
        }

        @Override
        public long length()
        {
            return length;
        }

        @Override
        public int read(final long position, final byte[] target, final int offset, final int length)
        {
            int done = 0;
            try
            {
                while (done < length)
                {
                    transfer.clear().limit(Math.min(TRANSFER_BYTES, length - done));
                    final int count = channel.read(transfer, position + done);
                    if (count < 0)
                    {
                        break;
                    }
                    transfer.flip().get(target, offset + done, count);
                    done += count;
                }
            }
            catch (final IOException e)
            {
                throw FileFault.reading(file, e);
            }
            return done;
        }

        @Override
        public void close()
        {
            try
            {
                channel.close();
            }
            catch (final IOException e)
            {
                throw FileFault.reading(file, e);
            }
        }
    }
}
