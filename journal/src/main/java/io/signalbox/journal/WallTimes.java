// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.journal.segment.ByteSource;
import io.signalbox.journal.segment.DirectoryFiles;
import io.signalbox.journal.segment.Envelope;
import io.signalbox.journal.segment.ScanMessages;
import io.signalbox.journal.segment.SegmentWalker;

import java.nio.file.Path;
import java.time.Instant;

/**
 * Finds logical times of a journal by the wall time at which its records were written, which is known to a millisecond. If
 * the clock was set back, a wall time that came twice is its later occurrence, and records before that count as earlier: so
 * the part of a journal before a time and the part from that time on are the whole journal. It reads all records, then one
 * segment for each time. Readers do not trust these times: they check every record.
 */
public final class WallTimes
{
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private final DirectoryFiles files;
    /** By segment, the earliest wall time and the logical time of its first record; the largest number if it is empty. */
    private final long[] earliestNanos;
    private final long[] beginsNanos;
    private long lastNanos;

    private WallTimes(final DirectoryFiles files)
    {
        this.files = files;
        earliestNanos = new long[files.segmentCount()];
        beginsNanos = new long[files.segmentCount()];
        for (int segment = files.firstSegment(); segment < files.segmentCount(); segment++)
        {
            final int number = segment;
            earliestNanos[number] = Long.MAX_VALUE;
            beginsNanos[number] = Long.MAX_VALUE;
            read(number, (wallNanos, logicalNanos) ->
            {
                beginsNanos[number] = beginsNanos[number] == Long.MAX_VALUE ? logicalNanos : beginsNanos[number];
                earliestNanos[number] = Math.min(earliestNanos[number], wallNanos);
                lastNanos = wallNanos;
            });
        }
        if (beginsNanos[files.firstSegment()] == Long.MAX_VALUE)
        {
            throw ScanMessages.noRecord(files.journal());
        }
    }

    /** @throws JournalException if the directory has no journal, or its first segment has no whole record. */
    public static WallTimes of(final Path directory)
    {
        JvmFlags.requireToRead();
        final DirectoryFiles files = DirectoryFiles.of(directory);
        if (files.segmentCount() == 0)
        {
            throw ScanMessages.noJournal(directory);
        }
        return new WallTimes(files);
    }

    /** Receives the times of the records of a segment in order. */
    private interface Receiver
    {
        void record(long wallNanos, long logicalNanos);
    }

    private static Instant instant(final long wallNanos)
    {
        return Instant.ofEpochSecond(Math.floorDiv(wallNanos, NANOS_PER_SECOND), Math.floorMod(wallNanos, NANOS_PER_SECOND));
    }

    /** The earliest wall time of the kept records: the time of the first record, unless the clock was set back past it. */
    public Instant first()
    {
        long first = Long.MAX_VALUE;
        for (int segment = files.firstSegment(); segment < files.segmentCount(); segment++)
        {
            first = Math.min(first, earliestNanos[segment]);
        }
        return instant(first);
    }

    /** Wall time of the last whole record. */
    public Instant last()
    {
        return instant(lastNanos);
    }

    /**
     * Logical time of the record after the last record that was written before a wall time.
     *
     * @return {@link Long#MIN_VALUE} if the journal begins then or later; {@link Long#MAX_VALUE} if it ends before.
     */
    public long logicalNanos(final Instant wall)
    {
        final long wallNanos = wall.getEpochSecond() * NANOS_PER_SECOND + wall.getNano();
        long next = Long.MAX_VALUE;
        for (int segment = files.segmentCount() - 1; segment >= files.firstSegment(); segment--)
        {
            if (earliestNanos[segment] < wallNanos)
            {
                final long found = after(segment, wallNanos);
                return found == Long.MAX_VALUE ? next : found;
            }
            next = Math.min(next, beginsNanos[segment]);
        }
        return Long.MIN_VALUE;
    }

    /** Logical time of the segment's record after its last record before a wall time; the largest number if none exists. */
    private long after(final int segment, final long wallNanos)
    {
        final long[] found = {Long.MAX_VALUE};
        read(segment, (recordNanos, logicalNanos) ->
        {
            if (recordNanos < wallNanos)
            {
                found[0] = Long.MAX_VALUE;
            }
            else if (found[0] == Long.MAX_VALUE)
            {
                found[0] = logicalNanos;
            }
        });
        return found[0];
    }

    private void read(final int segment, final Receiver receiver)
    {
        final ByteSource source = files.exists(segment) ? files.open(segment) : null;
        if (source == null)
        {
            return;
        }
        try (SegmentWalker walker = new SegmentWalker(segment, source, null))
        {
            while (walker.next() == SegmentWalker.Document.RECORD)
            {
                receiver.record(Envelope.wallTimeNanos(walker.bytes(), walker.start()),
                    Envelope.logicalTimeNanos(walker.bytes(), walker.start()));
            }
        }
    }
}
