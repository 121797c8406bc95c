// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import java.nio.file.Path;
import java.time.Instant;

/**
 * Finds logical times of a journal by the wall time at which its records were written, which is known to a millisecond. It
 * opens each segment, newest first, and reads one of them. Nothing that it finds is trusted further: who reads the journal
 * checks every record.
 */
public final class WallTimes
{
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private final DirectoryFiles files;
    private final Instant first;

    private WallTimes(final DirectoryFiles files)
    {
        this.files = files;
        first = instant(firstOf(files.firstSegment()));
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

    private static Instant instant(final Record record)
    {
        return Instant.ofEpochSecond(Math.floorDiv(record.wallNanos, NANOS_PER_SECOND),
            Math.floorMod(record.wallNanos, NANOS_PER_SECOND));
    }

    /** Times of a record. */
    private record Record(long wallNanos, long logicalNanos)
    {
    }

    /** Wall time of the first record that is kept. */
    public Instant first()
    {
        return first;
    }

    /** Wall time of the last whole record. */
    public Instant last()
    {
        Instant last = first;
        for (int segment = files.segmentCount() - 1; segment >= files.firstSegment(); segment--)
        {
            final Record found = find(segment, Long.MAX_VALUE, true);
            if (found != null)
            {
                last = instant(found);
                break;
            }
        }
        return last;
    }

    /**
     * Logical time of the first record that was written at a wall time or after it.
     *
     * @return {@link Long#MIN_VALUE} if the journal begins then or later; {@link Long#MAX_VALUE} if it ends before.
     */
    public long logicalNanos(final Instant wall)
    {
        if (!wall.isAfter(first))
        {
            return Long.MIN_VALUE;
        }
        final long wallNanos = wall.getEpochSecond() * NANOS_PER_SECOND + wall.getNano();
        long behind = Long.MAX_VALUE;
        for (int segment = files.segmentCount() - 1; segment >= files.firstSegment(); segment--)
        {
            final Record begins = find(segment, Long.MIN_VALUE, false);
            if (begins != null && begins.wallNanos < wallNanos)
            {
                final Record found = find(segment, wallNanos, false);
                return found == null ? behind : found.logicalNanos;
            }
            behind = begins == null ? behind : begins.logicalNanos;
        }
        return behind;
    }

    private Record firstOf(final int segment)
    {
        final Record found = find(segment, Long.MIN_VALUE, false);
        if (found == null)
        {
            throw ScanMessages.noRecord(files.journal());
        }
        return found;
    }

    /**
     * The first record of a segment that was written at a wall time or after it, or its last one; {@code null} if there is
     * none.
     */
    private Record find(final int segment, final long wallNanos, final boolean isLast)
    {
        final ByteSource source = files.exists(segment) ? files.open(segment) : null;
        if (source == null)
        {
            return null;
        }
        Record last = null;
        try (SegmentWalker walker = new SegmentWalker(segment, source, null))
        {
            while (walker.next() == SegmentWalker.Document.RECORD)
            {
                final long wall = Envelope.wallTimeNanos(walker.bytes(), walker.start());
                if (isLast || wall >= wallNanos)
                {
                    last = new Record(wall, Envelope.logicalTimeNanos(walker.bytes(), walker.start()));
                }
                if (last != null && !isLast)
                {
                    return last;
                }
            }
        }
        return last;
    }
}
