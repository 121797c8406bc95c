// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.snapshot;

import io.signalbox.ConfigException;
import io.signalbox.event.RecordWriter;
import io.signalbox.files.FileFault;
import io.signalbox.image.SchedulerImage;
import io.signalbox.journal.disk.PlainFile;
import io.signalbox.journal.segment.JournalMark;
import io.signalbox.journal.segment.JournalPosition;
import io.signalbox.journal.segment.RunDescription;
import io.signalbox.journal.segment.UnfitSnapshotException;
import io.signalbox.journal.snapshot.SnapshotFiles.Named;
import io.signalbox.router.DpRouters;
import io.signalbox.saved.UnfitImageException;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.zip.CRC32C;
import java.util.zip.CheckedOutputStream;

/**
 * The snapshots of a run's scheduler. Numbers of the header are little endian.
 *
 * <pre>
 *   byte   0  magic "SJI1" (u32), format version (u32)
 *          8  records, groups, chain, bytes of the journal up to the snapshot (int64 each)
 *         40  segment, position, records of the segment, records of the segment before (int64 each)
 *         72  lengths of the run description and of the program's version (int64 each)
 *         88  run description, as in record 0; the version, UTF-8; a {@link SchedulerImage}
 *        end  CRC32C of all bytes ahead of it (u32)
 * </pre>
 */
public final class SchedulerStore
{
    static final String KIND = "scheduler";
    /** They are large: one is used, and the one ahead of it if that is damaged. */
    static final int KEPT = SnapshotFiles.ALWAYS_KEPT;
    private static final int MAGIC = 0x31494A53;
    /** A later version reads this one, and adds fields at the ends of an image's records without another number. */
    private static final int VERSION = 4;
    private static final int HEADER_BYTES = 88;
    private static final int PLACE_AT = 8;
    private static final int CHUNK_BYTES = 1 << 16;
    private static final long MOST_SETTINGS = 64 << 20;
    /** A scheduler takes about as much memory as its image. */
    private static final int MOST_HEAPS = 2;

    private final SnapshotFiles files;

    public SchedulerStore(final Path journal)
    {
        files = new SnapshotFiles(journal, KIND, KEPT);
    }

    public List<Named> newestFirst()
    {
        return files.newestFirst();
    }

    /** Writes a snapshot beside the others. */
    public void write(final SchedulerSnapshot snapshot)
    {
        files.write(snapshot.mark().place().records(), channel -> writeTo(channel, snapshot));
    }

    /** Removes the ones that are too many. */
    public void thinOut()
    {
        files.thinOut();
    }

    private static void writeTo(final FileChannel channel, final SchedulerSnapshot snapshot) throws IOException
    {
        final RecordWriter description = RunDescription.encode(snapshot.settings());
        final byte[] program = SchedulerImage.program().getBytes(StandardCharsets.UTF_8);
        final JournalMark mark = snapshot.mark();
        final ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        header.putInt(MAGIC).putInt(VERSION).putLong(mark.place().records()).putLong(mark.place().groups())
            .putLong(mark.place().chain()).putLong(mark.place().bytes()).putLong(mark.segment()).putLong(mark.position())
            .putLong(mark.segmentRecords()).putLong(mark.recordsOfSegmentBefore()).putLong(description.length())
            .putLong(program.length);
        final CRC32C crc = new CRC32C();
        final OutputStream target = new BufferedOutputStream(Channels.newOutputStream(channel), CHUNK_BYTES);
        final OutputStream checked = new CheckedOutputStream(target, crc);
        checked.write(header.array());
        checked.write(description.buffer().byteArray(), 0, description.length());
        checked.write(program);
        SchedulerImage.write(snapshot.scheduler(), new BufferedOutputStream(checked, CHUNK_BYTES));
        target.write(ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN).putInt((int)crc.getValue()).array());
        target.flush();
    }

    /**
     * Reads a snapshot.
     *
     * @throws UnfitSnapshotException if it is damaged, gone, of another place than its name says, or of another program.
     */
    public static SchedulerSnapshot read(final Named named, final DpRouters routers)
    {
        return read(named, settings -> SchedulerConfig.of(settings, routers));
    }

    /** As {@link #read(Named, DpRouters)}, for a scheduler whose configuration the caller has. */
    public static SchedulerSnapshot read(final Named named, final Function<Map<String, String>, SchedulerConfig> configs)
    {
        try (FileChannel channel = PlainFile.read(named.file()))
        {
            requireHeader(channel);
            requireWhole(channel.position(0));
            final InputStream source =
                new BufferedInputStream(Channels.newInputStream(channel.position(0)), CHUNK_BYTES);
            return read(named, source, channel.size(), configs);
        }
        catch (final NoSuchFileException e)
        {
            throw new UnfitSnapshotException("it was removed", e);
        }
        catch (final EOFException e)
        {
            throw new UnfitSnapshotException("it ends early", e);
        }
        catch (final IOException e)
        {
            throw new UnfitSnapshotException("it cannot be read (" + FileFault.reason(e) + ")", e);
        }
        catch (final IllegalArgumentException | IllegalStateException | IndexOutOfBoundsException | ConfigException e)
        {
            throw new UnfitSnapshotException("it cannot be decoded (" + e.getMessage() + ")", e);
        }
        catch (final OutOfMemoryError e)
        {
            throw UnfitSnapshotException.tooLarge(e);
        }
    }

    /** If a file is not a regular file, or does not fit the memory of this program, it is not read. */
    private static void requireHeader(final FileChannel channel) throws IOException
    {
        final ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        readFully(channel, header);
        if (header.flip().getInt() != MAGIC)
        {
            throw new UnfitSnapshotException("its bytes are not those that were written");
        }
        final int version = header.getInt();
        if (version != VERSION)
        {
            throw new UnfitSnapshotException("it has version " + version + ", and this program reads " + VERSION);
        }
        final long most = MOST_HEAPS * Runtime.getRuntime().maxMemory();
        if (channel.size() > most)
        {
            throw new UnfitSnapshotException("it has " + channel.size() + " bytes, and the memory of this program (-Xmx) " +
                "suffices for at most " + most);
        }
    }

    /** Nothing of the file is used before its last byte has been checked. */
    private static void requireWhole(final FileChannel channel) throws IOException
    {
        final long length = channel.size() - Integer.BYTES;
        final ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES);
        final CRC32C crc = new CRC32C();
        long left = length;
        while (left > 0)
        {
            chunk.clear().limit((int)Math.min(CHUNK_BYTES, left));
            readFully(channel, chunk);
            left -= chunk.flip().remaining();
            crc.update(chunk);
        }
        final ByteBuffer end = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        if (length >= HEADER_BYTES)
        {
            readFully(channel, end);
        }
        if (length < HEADER_BYTES || end.getInt(0) != (int)crc.getValue())
        {
            throw new UnfitSnapshotException("its bytes are not those that were written");
        }
    }

    private static void readFully(final FileChannel channel, final ByteBuffer target) throws IOException
    {
        while (target.hasRemaining())
        {
            if (channel.read(target) < 0)
            {
                throw new EOFException();
            }
        }
    }

    private static SchedulerSnapshot read(
        final Named named,
        final InputStream source,
        final long fileBytes,
        final Function<Map<String, String>, SchedulerConfig> configs)
        throws IOException
    {
        final ByteBuffer header = ByteBuffer.wrap(source.readNBytes(HEADER_BYTES)).order(ByteOrder.LITTLE_ENDIAN);
        final JournalMark mark = mark(header.position(PLACE_AT));
        if (mark.place().records() != named.records())
        {
            throw new UnfitSnapshotException(
                "it is the one behind record " + (mark.place().records() - 1) + ", under another name");
        }
        final long length = header.getLong();
        final long programLength = header.getLong();
        if (length < 0 || length > MOST_SETTINGS || programLength < 0 || programLength > MOST_SETTINGS)
        {
            throw new UnfitSnapshotException("its run description has " + length + " bytes");
        }
        final Map<String, String> settings =
            RunDescription.decode(new UnsafeBuffer(source.readNBytes((int)length)), 0);
        final String program = new String(source.readNBytes((int)programLength), StandardCharsets.UTF_8);
        try
        {
            return new SchedulerSnapshot(settings, mark, SchedulerImage.read(
                configs.apply(settings), source, fileBytes - HEADER_BYTES - length - programLength - Integer.BYTES));
        }
        catch (final UnfitImageException e)
        {
            throw new UnfitSnapshotException(e.getMessage() + "; " + program + " wrote it", e);
        }
    }

    private static JournalMark mark(final ByteBuffer header)
    {
        final JournalPosition place =
            new JournalPosition(header.getLong(), header.getLong(), header.getLong(), header.getLong());
        final long segment = header.getLong();
        final long position = header.getLong();
        if (place.records() < 1 || segment < 0 || segment > Integer.MAX_VALUE || position < 0)
        {
            throw new UnfitSnapshotException("its place in the journal is none");
        }
        return new JournalMark(place, (int)segment, position, header.getLong(), header.getLong());
    }
}
