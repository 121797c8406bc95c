// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

import io.signalbox.journal.JournalException;
import io.signalbox.journal.disk.OwnerOnly;
import io.signalbox.journal.disk.SpaceReserve;
import io.signalbox.journal.disk.ZerosAhead;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.bytes.SyncMode;
import net.openhft.chronicle.core.time.TimeProvider;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.RollCycles;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.wire.DocumentContext;

import java.io.IOException;
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
    /** Chronicle maps its metadata in blocks of this size, and writes only to the first block. */
    private static final int METADATA_BLOCK_BYTES = 64 * 1024;
    /** Zeros of one write before the records. */
    private static final int ZERO_BYTES = 256 * 1024;
    /** Fewer, because a sync writes all pages of such a write to the disk. */
    private static final int SYNCED_ZERO_BYTES = 64 * 1024;
    private static final TimeProvider STANDING_CLOCK = () -> 0L;
    /** Name that Chronicle gives to the file of the first day. */
    private static final String DATA_FILE = "19700101F" + SegmentName.DATA_SUFFIX;

    private final long blockBytes;
    private final SingleChronicleQueue queue;
    private final ExcerptAppender appender;
    private final SpaceReserve metadata;
    private final SpaceReserve reserve;
    private final ZerosAhead zeros;
    private DocumentContext open;
    private Bytes<?> target;
    private long start;
    private long position;

    private ChronicleSegment(
        final long blockBytes,
        final SingleChronicleQueue queue,
        final ExcerptAppender appender,
        final SpaceReserve metadata,
        final SpaceReserve reserve,
        final ZerosAhead zeros)
    {
        this.blockBytes = blockBytes;
        this.queue = queue;
        this.appender = appender;
        this.metadata = metadata;
        this.reserve = reserve;
        this.zeros = zeros;
    }

    /**
     * Creates Chronicle's files before Chronicle maps them, and reserves the blocks of the first record:
     * {@link #requireFirst}.
     *
     * @param largestRecordBytes length of the longest record that must have room.
     * @param aheadBytes         disk blocks that are kept free after the last record.
     * @throws JournalException DISK_FULL if there is no room for that record.
     */
    static ChronicleSegment create(
        final Path directory,
        final long blockBytes,
        final int largestRecordBytes,
        final long aheadBytes,
        final boolean synced) throws IOException
    {
        final SpaceReserve metadata = reserve(directory.resolve(ChronicleNames.METADATA), METADATA_BLOCK_BYTES, 0);
        SpaceReserve data = null;
        ZerosAhead zeros = null;
        SingleChronicleQueue queue = null;
        try
        {
            metadata.require(METADATA_BLOCK_BYTES);
            queue = SingleChronicleQueueBuilder.binary(directory)
                .rollCycle(RollCycles.FAST_DAILY)
                .timeProvider(STANDING_CLOCK)
                .blockSize(blockBytes)
                // Chronicle needs both for a sync: the mode SYNC and the call of sync().
                .syncMode(synced ? SyncMode.SYNC : SyncMode.NONE)
                .build();
            final ExcerptAppender appender = queue.createAppender();
            appender.singleThreadedCheckDisabled(true);
            data = reserve(directory.resolve(DATA_FILE), blockBytes, aheadBytes);
            zeros = ZerosAhead.of(directory.resolve(DATA_FILE), zeroBytes(blockBytes, synced));
            final ChronicleSegment segment = new ChronicleSegment(blockBytes, queue, appender, metadata, data, zeros);
            segment.requireFirst(largestRecordBytes);
            return segment;
        }
        catch (final RuntimeException | IOException | Error e)
        {
            close(queue, metadata, zeros, data, 0);
            throw e;
        }
    }

    private static int zeroBytes(final long blockBytes, final boolean synced)
    {
        return (int)Math.min(ChronicleJournalStore.overlap(blockBytes), synced ? SYNCED_ZERO_BYTES : ZERO_BYTES);
    }

    private static SpaceReserve reserve(final Path file, final long blockBytes, final long aheadBytes) throws IOException
    {
        OwnerOnly.createFile(file);
        return new SpaceReserve(file, blockBytes, aheadBytes);
    }

    /**
     * Reserves the blocks of the first record.
     *
     * @throws JournalException DISK_FULL if there is no room for it.
     */
    void requireFirst(final int largestRecordBytes)
    {
        reserve.require(largestRecordBytes + 2L * SLACK_BYTES);
        zeros.require(largestRecordBytes + 2L * SLACK_BYTES);
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
        reserve.require(position + length + SLACK_BYTES);
        zeros.require(position + length + SLACK_BYTES);
        return beginSeal(length);
    }

    @Override
    public long lackingBytes()
    {
        return reserve.lackingBytes();
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
        final DocumentContext document = open;
        // If a write fails, the document stays unfinished: a second access to its memory would also fail.
        open = null;
        target.write(record, 0, length);
        position = start + length;
        document.close();
    }

    @Override
    public void sync()
    {
        appender.sync();
    }

    @Override
    public void close()
    {
        try
        {
            if (open != null)
            {
                open.rollbackOnClose();
                open.close();
            }
        }
        finally
        {
            close(queue, metadata, zeros, reserve, position + SLACK_BYTES);
        }
    }

    private static void close(
        final SingleChronicleQueue queue,
        final SpaceReserve metadata,
        final ZerosAhead zeros,
        final SpaceReserve data,
        final long end)
    {
        try
        {
            if (queue != null)
            {
                queue.close();
            }
        }
        finally
        {
            if (zeros != null)
            {
                zeros.close();
            }
            metadata.release(METADATA_BLOCK_BYTES);
            if (data != null)
            {
                data.release(end);
            }
        }
    }
}
