// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

import java.util.zip.CRC32C;

/**
 * Reads all bytes behind the position at which the walk stopped, and finds out whether a whole record of this place still
 * follows. Bytes inside a payload that look like a record name another place.
 */
final class TailSearch
{
    private final int segment;
    private final ByteSource source;
    private final Mode mode;
    private final CRC32C crc = new CRC32C();
    private final byte[] window;
    private long residueEnd;
    private long foundAt = -1;
    private long foundSequence;
    private int foundSegment;
    private long foundSyncedSequence = Envelope.NOT_SYNCED;

    /** Which whole records count. */
    private enum Mode
    {
        /** Each of this segment behind the header at which the search starts, but not the one behind that header. */
        BEHIND,
        /**
         * Each of this segment with its document header, unless it holds rows: recovery cuts rows whose group was not
         * written, and a record whose header never reached the disk.
         */
        BEHIND_CUT,
        /** Each at its position, whichever segment it names. */
        ANY_SEGMENT
    }

    private TailSearch(final int segment, final ByteSource source, final Mode mode)
    {
        this.segment = segment;
        this.source = source;
        this.mode = mode;
        // A multiple of the alignment, and long enough to make headway past the overlap.
        window = new byte[Math.max(4 * Envelope.LENGTH, SegmentWalker.windowFor(source) & -SegmentWalker.ALIGNMENT)];
    }

    /** Searches from a document header's position; the record behind that very header does not count. */
    static TailSearch behind(final int segment, final ByteSource source, final long position)
    {
        return run(new TailSearch(segment, source, Mode.BEHIND), position);
    }

    /** Searches from the position at which the next segment says that this one was cut. */
    static TailSearch behindCut(final int segment, final ByteSource source, final long position)
    {
        return run(new TailSearch(segment, source, Mode.BEHIND_CUT), position);
    }

    /** Searches a whole file for a record of any segment. */
    static TailSearch ofAnySegment(final ByteSource source)
    {
        return run(new TailSearch(0, source, Mode.ANY_SEGMENT), 0);
    }

    private static TailSearch run(final TailSearch search, final long position)
    {
        search.residueEnd = position;
        search.run(position);
        return search;
    }

    private void run(final long from)
    {
        final long first = from + SegmentWalker.HEADER_BYTES + (mode == Mode.BEHIND ? 1 : 0);
        // Windows overlap by an envelope, so that none is missed across their seam.
        for (long base = source.nextData(from); base < source.length();
            base = source.nextData(base + window.length - Envelope.LENGTH))
        {
            final int count = source.read(base, window, 0, (int)Math.min(window.length, source.length() - base));
            noteResidue(base, count);
            for (int i = 0; i + Envelope.LENGTH <= count && foundAt < 0; i += SegmentWalker.ALIGNMENT)
            {
                if (Envelope.int32(window, i) == Envelope.MAGIC && base + i >= first)
                {
                    check(base + i, i);
                }
            }
        }
    }

    private void noteResidue(final long base, final int count)
    {
        int end = count;
        while (end >= Long.BYTES && Envelope.int64(window, end - Long.BYTES) == 0)
        {
            end -= Long.BYTES;
        }
        while (end > 0 && window[end - 1] == 0)
        {
            end--;
        }
        if (end > 0)
        {
            residueEnd = Math.max(residueEnd, base + end);
        }
    }

    private void check(final long at, final int index)
    {
        final int length = Envelope.totalLength(window, index);
        if (counts(at, index) &&
            length >= Envelope.LENGTH && length <= Math.min(Envelope.MAX_RECORD_BYTES, source.length() - at))
        {
            final byte[] record = new byte[length];
            if (source.read(at, record, 0, length) == length && Envelope.crcFits(record, 0, length, crc) &&
                (mode != Mode.BEHIND_CUT || hasHeader(at, length)))
            {
                foundAt = at;
                foundSequence = Envelope.sequence(record, 0);
                foundSegment = Envelope.segment(record, 0);
                foundSyncedSequence = Envelope.syncedSequence(record, 0);
            }
        }
    }

    private boolean hasHeader(final long at, final int length)
    {
        final byte[] header = new byte[SegmentWalker.HEADER_BYTES];
        return source.read(at - header.length, header, 0, header.length) == header.length &&
            Envelope.int32(header, 0) == length;
    }

    private boolean counts(final long at, final int index)
    {
        final int named = mode == Mode.ANY_SEGMENT ? Envelope.segment(window, index) : segment;
        return Envelope.place(window, index) == Envelope.place(named, at) &&
            (mode != Mode.BEHIND_CUT || Envelope.typeCode(window, index) != RecordType.ROWS.code());
    }

    /** Whether a whole record follows. */
    boolean found()
    {
        return foundAt >= 0;
    }

    /** Position of the envelope of the record found. */
    long foundAt()
    {
        return foundAt;
    }

    long foundSequence()
    {
        return foundSequence;
    }

    /** Number of the segment that the record found says it is in. */
    int foundSegment()
    {
        return foundSegment;
    }

    /** The synced mark of the record found; -1 if there is none. */
    long foundSyncedSequence()
    {
        return foundSyncedSequence;
    }

    /** Behind the last byte that is not zero; the position searched from if all are. */
    long residueEnd()
    {
        return residueEnd;
    }
}
