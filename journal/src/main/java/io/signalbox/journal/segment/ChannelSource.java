// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

import io.signalbox.journal.JournalException;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.disk.FileHoles;
import io.signalbox.journal.disk.PlainFile;
import io.signalbox.journal.disk.StoreFault;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.LongConsumer;

/** A file of records. Reads through one direct buffer, so that the JDK keeps no buffer per thread. */
public final class ChannelSource implements ByteSource
{
    private static final int TRANSFER_BYTES = 1 << 20;
    /** A record names its position in 40 bits. */
    private static final long MAX_FILE_BYTES = 1L << 40;
    /** Reading a smaller file takes less time than loading the library that finds holes. */
    private static final long HOLES_FROM_BYTES = 1L << 28;

    private final Path file;
    private final FileChannel channel;
    private final long length;
    private final LongConsumer positions;
    private final ByteBuffer transfer = ByteBuffer.allocateDirect(TRANSFER_BYTES);
    private FileHoles holes;

    private ChannelSource(
        final Path file, final FileChannel channel, final long length, final LongConsumer positions)
    {
        this.positions = positions;
        this.file = file;
        this.channel = channel;
        this.length = length;
    }

    /**
     * @param positions receives the number of bytes of the file that were read or skipped.
     * @throws JournalException FOREIGN_FILE for anything but a regular file of at most 1 TiB.
     */
    public static ChannelSource open(final Path file, final LongConsumer positions)
    {
        requireRegular(file);
        FileChannel channel = null;
        try
        {
            channel = PlainFile.open(file, StandardOpenOption.READ);
            final long length = channel.size();
            if (length > MAX_FILE_BYTES)
            {
                channel.close();
                throw new JournalException(Kind.FOREIGN_FILE, file + " has " + length + " bytes, and no segment has more " +
                    "than " + MAX_FILE_BYTES + "; restore it from a copy.");
            }
            return new ChannelSource(file, channel, length, positions);
        }
        catch (final IOException e)
        {
            throw StoreFault.reading(file, e);
        }
    }

    /** Opening a pipe would wait for its other end, and a device has no end. */
    private static void requireRegular(final Path file)
    {
        try
        {
            final String other = PlainFile.otherKind(file);
            if (other != null)
            {
                throw new JournalException(Kind.FOREIGN_FILE, file + " is " + other +
                    " and not a regular file, as a file of records is; restore it from a copy.");
            }
        }
        catch (final IOException e)
        {
            throw StoreFault.reading(file, e);
        }
    }

    @Override
    public long length()
    {
        return length;
    }

    @Override
    public int read(final long position, final byte[] target, final int offset, final int count)
    {
        int done = 0;
        try
        {
            while (done < count)
            {
                transfer.clear().limit(Math.min(TRANSFER_BYTES, count - done));
                final int some = channel.read(transfer, position + done);
                if (some < 0)
                {
                    break;
                }
                transfer.flip().get(target, offset + done, some);
                done += some;
            }
        }
        catch (final IOException e)
        {
            throw StoreFault.reading(file, e);
        }
        positions.accept(position + done);
        return done;
    }

    @Override
    public long nextData(final long position)
    {
        if (length - position < HOLES_FROM_BYTES)
        {
            return Math.min(position, length);
        }
        if (holes == null)
        {
            holes = FileHoles.of(file);
        }
        return holes.nextData(position, length, SegmentWalker.ALIGNMENT);
    }

    @Override
    public void close()
    {
        if (holes != null)
        {
            holes.close();
        }
        try
        {
            channel.close();
        }
        catch (final IOException e)
        {
            throw StoreFault.reading(file, e);
        }
    }
}
