// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

import io.signalbox.event.RecordWriter;
import io.signalbox.event.codec.Closing;
import io.signalbox.journal.Durability;
import io.signalbox.journal.Ending;
import io.signalbox.journal.JournalConfig;
import io.signalbox.journal.JournalException;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.disk.StoreFault;
import org.agrona.DirectBuffer;

import java.util.zip.CRC32C;

/**
 * Writes each record with its envelope, links the chain, and rolls from segment to segment.
 *
 * <p>A roll creates the next segment, seals and syncs the current one, and then begins the next one with its
 * continuation. In this order, a crash between two steps differs from a lost file.
 */
public final class SegmentedLog
{
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final int RECORDS_PER_CLOCK_READING = 64;
    /** A segment takes this much at least, and a part of its reserve. */
    private static final long ROOM_TO_BEGIN_BYTES = 4L << 20;
    /** The next segment is expected for this part of a segment. */
    private static final int EXPECTING_PART = 16;

    private final JournalStore store;
    private final long segmentBytes;
    private final boolean durable;
    private final CRC32C crc = new CRC32C();
    private final Chain links = new Chain();
    private final RecordWriter seal = new RecordWriter();
    private byte[] buffer = new byte[4096];
    private JournalStore.Segment segment;
    private int segmentNumber;
    private long recordsAtSegmentStart;
    private long bytesAtSegmentStart;
    private long sequence;
    private long groups;
    private long chain;
    private long bytes;
    private long lastTimeNanos;
    private long syncedSequence = Envelope.NOT_SYNCED;
    private boolean groupOpen;
    private boolean deferred;
    private boolean isNextExpected;
    private long wallTimeNanos;
    private long timeAtClockReading;
    private int recordsToClockReading;

    public SegmentedLog(final JournalStore store, final JournalConfig config, final JournalPosition position)
    {
        this.store = store;
        segmentBytes = config.segmentBytes();
        durable = config.durability() != Durability.PROCESS;
        sequence = position.records();
        groups = position.groups();
        chain = position.chain();
        bytes = position.bytes();
    }

    /** Logical time of the last record of another log, which this one continues. */
    public void lastTimeNanos(final long timeNanos)
    {
        lastTimeNanos = timeNanos;
    }

    public void openFirst(final int largestRecordBytes)
    {
        segment = store.create(0, largestRecordBytes);
    }

    /**
     * Begins a segment after one that another log has written.
     *
     * @param recordsBefore chained records of the segment before.
     * @param sealed        whether that segment ends with a seal; otherwise it is cut at the record that begins this one.
     */
    public void openBehind(final int number, final long recordsBefore, final boolean sealed)
    {
        segmentNumber = number;
        recordsAtSegmentStart = sequence;
        bytesAtSegmentStart = bytes;
        segment = store.create(number, Envelope.LENGTH + RecordWriter.SEAL_BYTES);
        writeCount(RecordType.CONTINUATION, recordsBefore, sealed ? Closing.YES : Closing.NO);
    }

    public void append(
        final RecordType type, final long timeNanos, final DirectBuffer payload, final int offset, final int length)
    {
        final int total = Envelope.LENGTH + length;
        final byte[] record = recordOf(total);
        payload.getBytes(offset, record, Envelope.LENGTH, length);
        final long link = links.next(chain, sequence, type, timeNanos, record, Envelope.LENGTH, length);
        complete(record, type, timeNanos, link, segment.begin(total), total);
        chain = link;
        sequence++;
        bytes += total;
        lastTimeNanos = timeNanos;
        groupOpen = type == RecordType.ROWS;
        if (type == RecordType.GROUP)
        {
            groups++;
        }
    }

    private void complete(
        final byte[] record,
        final RecordType type,
        final long timeNanos,
        final long link,
        final long position,
        final int total)
    {
        Envelope.putIdentity(record, total, type);
        Envelope.putHistory(record, sequence, timeNanos, link);
        Envelope.putCircumstances(
            record, wallTimeNanos(timeNanos), syncedSequence, Envelope.place(segmentNumber, position));
        Envelope.putCrc(record, total, crc);
        segment.write(record, total);
    }

    /** Reading the clock costs as much as a checksum: records within a millisecond of logical time share a reading. */
    private long wallTimeNanos(final long timeNanos)
    {
        if (recordsToClockReading == 0 || Math.abs(timeNanos - timeAtClockReading) >= NANOS_PER_MILLI)
        {
            wallTimeNanos = System.currentTimeMillis() * NANOS_PER_MILLI;
            timeAtClockReading = timeNanos;
            recordsToClockReading = RECORDS_PER_CLOCK_READING;
        }
        recordsToClockReading--;
        return wallTimeNanos;
    }

    private byte[] recordOf(final int length)
    {
        if (length > buffer.length)
        {
            buffer = new byte[Math.max(length, (int)Math.min(Envelope.MAX_RECORD_BYTES, 2L * buffer.length))];
        }
        return buffer;
    }

    /** Whether the next group, whose largest record this is, needs another segment. */
    public boolean isFull(final int largestRecordBytes)
    {
        deferred = false;
        if (bytes - bytesAtSegmentStart >= segmentBytes)
        {
            // A segment that has its reserve is better than one that can hardly begin.
            deferred = segment.lackingBytes() > 0 || store.usableBytes() < largestRecordBytes + ROOM_TO_BEGIN_BYTES;
        }
        return bytes - bytesAtSegmentStart >= segmentBytes && !deferred ||
            largestRecordBytes > segment.largestRecordBytes();
    }

    /** Whether {@link #expectNext} is due: creating a segment takes milliseconds, in which records would wait. */
    public boolean isNextDue()
    {
        return !isNextExpected && bytes - bytesAtSegmentStart >= segmentBytes - segmentBytes / EXPECTING_PART &&
            segment.lackingBytes() == 0;
    }

    public void expectNext(final int largestRecordBytes)
    {
        isNextExpected = true;
        store.expect(segmentNumber + 1, largestRecordBytes);
    }

    /** Bytes that are missing to the free space that is to be kept; 0: none. */
    public long lackingBytes()
    {
        return Math.max(segment.lackingBytes(), deferred ? ROOM_TO_BEGIN_BYTES : 0);
    }

    /** Free space for further segments. Called by any thread. */
    public long usableBytes()
    {
        return store.usableBytes();
    }

    /** Moves to the next segment; only between groups, so that a group and its rows are in one segment. */
    public void roll(final int largestRecordBytes)
    {
        final JournalStore.Segment next = store.create(segmentNumber + 1, largestRecordBytes);
        final long records = sequence - recordsAtSegmentStart;
        final long endOfSeal;
        try
        {
            endOfSeal = writeCount(RecordType.SEAL, records, Closing.NO);
            sync();
        }
        catch (final RuntimeException | InternalError e)
        {
            next.close();
            throw e;
        }
        store.sealed(segmentNumber, segment, endOfSeal);
        segment = next;
        segmentNumber++;
        isNextExpected = false;
        recordsAtSegmentStart = sequence;
        bytesAtSegmentStart = bytes;
        writeCount(RecordType.CONTINUATION, records, Closing.YES);
    }

    /** Writes the last record of the journal; rows without their group stay unsealed, for recovery to cut. */
    public void seal(final Ending ending)
    {
        if (!groupOpen)
        {
            store.expectNone();
            writeCount(RecordType.SEAL, sequence - recordsAtSegmentStart, ending.code());
            sync();
        }
    }

    /**
     * Seals and continuations are outside sequence and chain: they have the next number and the last link.
     *
     * @return position in the segment's file behind the record.
     */
    private long writeCount(final RecordType type, final long records, final Closing closing)
    {
        seal.seal(records, groups, chain, closing);
        final int total = Envelope.LENGTH + seal.length();
        final long position = type == RecordType.SEAL ? segment.beginSeal(total) : segment.begin(total);
        final byte[] record = recordOf(total);
        seal.buffer().getBytes(0, record, Envelope.LENGTH, seal.length());
        complete(record, type, lastTimeNanos, chain, position, total);
        return position + total;
    }

    /** Does nothing at the level PROCESS: no record may claim to be synced. */
    public void sync()
    {
        if (!durable)
        {
            return;
        }
        try
        {
            segment.sync();
        }
        catch (final RuntimeException | InternalError e)
        {
            throw new JournalException(Kind.SYNC_FAILED, "segment " + segmentNumber + " could not be synced (" +
                StoreFault.reason(e) + "), so records after " + syncedSequence + " may be lost; check the " +
                "disk, then recover the journal.", e);
        }
        syncedSequence = sequence - 1;
    }

    /** Closes the segment as it is. */
    public void abandon()
    {
        final JournalStore.Segment last = segment;
        segment = null;
        try
        {
            if (last != null)
            {
                last.close();
            }
        }
        finally
        {
            store.finish();
        }
    }

    /** Removes the only segment of a journal that has no group. */
    public void removeSegments()
    {
        store.remove(segmentNumber);
    }

    /** Reading of the clock that the last record has. */
    public long wallTimeNanos()
    {
        return wallTimeNanos;
    }

    public long records()
    {
        return sequence;
    }

    public long groups()
    {
        return groups;
    }

    public long bytes()
    {
        return bytes;
    }

    public long chain()
    {
        return chain;
    }

    public int segments()
    {
        return segmentNumber + 1;
    }

    public long syncedSequence()
    {
        return syncedSequence;
    }
}
