// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.bytes.SyncMode;
import net.openhft.chronicle.core.time.TimeProvider;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.RollCycles;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.wire.DocumentContext;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * One segment, written as a fresh Chronicle Queue. Chronicle's clock is constant, so the queue never rolls and its
 * file always has the same name. Disk space is reserved before Chronicle's mapped memory touches it, so a full disk is
 * refused here and is not a fault at a later memory access.
 */
final class ChronicleSegment implements JournalStore.Segment
{
    /** Bytes that Chronicle may need beside a record: an index page, document headers, padding. */
    private static final int SLACK_BYTES = 96 * 1024;
    private static final int HEADER_BYTES = 4;
    private static final TimeProvider STANDING_CLOCK = () -> 0L;

    private final Path directory;
    private final long blockBytes;
    private final long aheadBytes;
    private final SingleChronicleQueue queue;
    private final ExcerptAppender appender;
    private SpaceReserve reserve;
    private DocumentContext open;
    private Bytes<?> target;
    private long start;
    private long position;

    private ChronicleSegment(
        final Path directory, final long blockBytes, final long aheadBytes, final SingleChronicleQueue queue)
    {
        this.directory = directory;
        this.blockBytes = blockBytes;
        this.aheadBytes = aheadBytes;
        this.queue = queue;
        appender = queue.createAppender();
        appender.singleThreadedCheckDisabled(true);
    }

    /** @param aheadBytes disk blocks that are kept free behind the last record. */
    static ChronicleSegment create(
        final Path directory, final long blockBytes, final long aheadBytes, final boolean synced)
    {
        final SingleChronicleQueue queue = SingleChronicleQueueBuilder.binary(directory)
            .rollCycle(RollCycles.FAST_DAILY)
            .timeProvider(STANDING_CLOCK)
            .blockSize(blockBytes)
            // Chronicle syncs only with both: the mode SYNC and the call of sync().
            .syncMode(synced ? SyncMode.SYNC : SyncMode.NONE)
            .build();
        return new ChronicleSegment(directory, blockBytes, aheadBytes, queue);
    }

    static long largestRecordBytes(final long blockBytes)
    {
        return ChronicleJournalStore.overlap(blockBytes) - HEADER_BYTES;
    }

    @Override
    public int largestRecordBytes()
    {
        return (int)Math.min(Envelope.MAX_RECORD_BYTES, largestRecordBytes(blockBytes));
    }

    @Override
    public long begin(final int length)
    {
        if (reserve != null)
        {
            reserve.require(position + length + SLACK_BYTES);
        }
        return beginSeal(length);
    }

    @Override
    public long lackingBytes()
    {
        return reserve == null ? 0 : reserve.lackingBytes();
    }

    /** Every other record leaves this many bytes free. */
    @Override
    public long beginSeal(final int length)
    {
        open = appender.writingDocument();
        target = open.wire().bytes();
        start = target.writePosition();
        return start;
    }

    @Override
    public void write(final byte[] record, final int length)
    {
        target.write(record, 0, length);
        position = start + length;
        open.close();
        open = null;
        if (reserve == null)
        {
            adoptFile();
        }
    }

    /** Chronicle creates its file with the first record, which fits into the free space that was checked before. */
    private void adoptFile()
    {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory))
        {
            for (final Path file : files)
            {
                OwnerOnly.restrict(file);
                if (file.toString().endsWith(SegmentName.DATA_SUFFIX))
                {
                    reserve = new SpaceReserve(file, blockBytes / 2, aheadBytes);
                }
            }
        }
        catch (final IOException e)
        {
            throw StoreFault.writing("the files of " + directory + " cannot be restricted to their owner", directory, e);
        }
    }

    @Override
    public void sync()
    {
        appender.sync();
    }

    @Override
    public void close()
    {
        if (open != null)
        {
            open.rollbackOnClose();
            open.close();
        }
        queue.close();
        if (reserve != null)
        {
            reserve.release(position + SLACK_BYTES);
        }
    }
}
