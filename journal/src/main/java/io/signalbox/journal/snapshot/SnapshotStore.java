// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.snapshot;

import io.signalbox.files.FileFault;
import io.signalbox.journal.disk.PlainFile;
import io.signalbox.journal.disk.Removing;
import io.signalbox.journal.segment.UnfitSnapshotException;
import io.signalbox.journal.snapshot.SnapshotFiles.Named;
import org.agrona.ExpandableArrayBuffer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/** The snapshots of a run's folded state. */
public final class SnapshotStore
{
    static final String KIND = "snapshot";

    private final SnapshotFiles files;

    /** @param mostKept at least {@link SnapshotFiles#ALWAYS_KEPT}. */
    public SnapshotStore(final Path journal, final int mostKept)
    {
        files = new SnapshotFiles(journal, KIND, mostKept);
    }

    public static String name(final long records)
    {
        return SnapshotFiles.name(KIND, records);
    }

    /** Writes a snapshot beside the others. */
    public void write(final StateSnapshot snapshot)
    {
        final ExpandableArrayBuffer bytes = new ExpandableArrayBuffer(1 << 16);
        final int length = SnapshotFile.encode(snapshot, bytes);
        files.write(snapshot.mark().place().records(), channel ->
        {
            final ByteBuffer source = ByteBuffer.wrap(bytes.byteArray(), 0, length);
            while (source.hasRemaining())
            {
                channel.write(source);
            }
        });
    }

    /** Removes the ones that are too many. */
    public void thinOut()
    {
        files.thinOut();
    }

    /** Removes those behind so many records, or fewer: no reader can begin at one if these are gone. */
    public void removeUpTo(final long records, final Removing removing)
    {
        for (final Named named : files.oldestFirst())
        {
            if (named.records() <= records)
            {
                removing.remove(named.file());
            }
        }
    }

    public List<Named> oldestFirst()
    {
        return files.oldestFirst();
    }

    public List<Named> newestFirst()
    {
        return files.newestFirst();
    }

    /**
     * Reads a snapshot.
     *
     * @throws UnfitSnapshotException if it is damaged, gone, or of another place than its name says.
     */
    public static StateSnapshot read(final Named named)
    {
        try
        {
            final byte[] bytes = readAll(named.file());
            final StateSnapshot snapshot = SnapshotFile.decode(bytes);
            if (snapshot.mark().place().records() != named.records())
            {
                throw new UnfitSnapshotException("it is the one behind record " +
                    (snapshot.mark().place().records() - 1) + ", under another name");
            }
            return snapshot;
        }
        catch (final OutOfMemoryError e)
        {
            throw UnfitSnapshotException.tooLarge(e);
        }
        catch (final NoSuchFileException e)
        {
            throw new UnfitSnapshotException("it was removed", e);
        }
        catch (final IOException e)
        {
            throw new UnfitSnapshotException("it cannot be read (" + FileFault.reason(e) + ")", e);
        }
    }

    private static byte[] readAll(final Path file) throws IOException
    {
        try (FileChannel channel = PlainFile.read(file))
        {
            final long length = channel.size();
            if (length > SnapshotFile.MAX_BYTES)
            {
                throw new UnfitSnapshotException("it has " + length + " bytes, and no snapshot has more than " +
                    SnapshotFile.MAX_BYTES);
            }
            final ByteBuffer header = ByteBuffer.allocate(SnapshotFile.HEADER_BYTES);
            channel.read(header, 0);
            SnapshotFile.requireHeader(header.array(), length);
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
    public static long timeNanos(final Named named)
    {
        try (FileChannel channel = PlainFile.read(named.file()))
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
