// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import java.util.zip.CRC32C;

/**
 * Reads everything behind a position where the walk had to stop, and says whether a whole record of this very place
 * still follows. A record that merely looks like one, inside some payload, names another place.
 */
final class TailSearch
{
    private final int segment;
    private final ByteSource source;
    private final CRC32C crc = new CRC32C();
    private final byte[] window;
    private long residueEnd;
    private long foundAt = -1;
    private long foundSequence;
    private long foundSyncedSequence = Envelope.NOT_SYNCED;

    private TailSearch(final int segment, final ByteSource source)
    {
        this.segment = segment;
        this.source = source;
        // A multiple of the alignment, and long enough to make headway past the overlap.
        window = new byte[Math.max(4 * Envelope.LENGTH, SegmentWalker.windowFor(source) & -SegmentWalker.ALIGNMENT)];
    }

    /** Searches from a document header's position; the record behind that very header does not count. */
    static TailSearch behind(final int segment, final ByteSource source, final long position)
    {
        final TailSearch search = new TailSearch(segment, source);
        search.residueEnd = position;
        search.run(position);
        return search;
    }

    private void run(final long from)
    {
        final long first = from + SegmentWalker.HEADER_BYTES;
        // Windows overlap by an envelope, so that none is missed across their seam.
        for (long base = from; base < source.length(); base += window.length - Envelope.LENGTH)
        {
            final int count = source.read(base, window, 0, (int)Math.min(window.length, source.length() - base));
            noteResidue(base, count);
            for (int i = 0; i + Envelope.LENGTH <= count && foundAt < 0; i += SegmentWalker.ALIGNMENT)
            {
                if (Envelope.int32(window, i) == Envelope.MAGIC && base + i > first)
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
        if (Envelope.place(window, index) == Envelope.place(segment, at) &&
            length >= Envelope.LENGTH && length <= Math.min(Envelope.MAX_RECORD_BYTES, source.length() - at))
        {
            final byte[] record = new byte[length];
            if (source.read(at, record, 0, length) == length && Envelope.crcFits(record, 0, length, crc))
            {
                foundAt = at;
                foundSequence = Envelope.sequence(record, 0);
                foundSyncedSequence = Envelope.syncedSequence(record, 0);
            }
        }
    }

    /** Whether a whole record follows. */
    boolean found()
    {
        return foundAt >= 0;
    }

    long foundSequence()
    {
        return foundSequence;
    }

    /** The synced mark that the record found carries; -1 where there is none. */
    long foundSyncedSequence()
    {
        return foundSyncedSequence;
    }

    /** Behind the last byte that is not zero; the position searched from where all are. */
    long residueEnd()
    {
        return residueEnd;
    }
}
