// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

import java.util.zip.CRC32C;

/**
 * Walks the documents of one segment's file: Chronicle's own are skipped by name, ours are checked on their own
 * (length, magic, CRC). Reads into its own buffer and uses no length before it has been checked twice.
 */
public final class SegmentWalker implements AutoCloseable
{
    public static final int HEADER_BYTES = 4;
    public static final int ALIGNMENT = 4;
    private static final int WINDOW_BYTES = 1 << 20;
    private static final int INCOMPLETE = 0x80000000;
    private static final int METADATA = 0x40000000;
    private static final int LENGTH_MASK = 0x3FFFFFFF;
    private static final int END_MARK = INCOMPLETE | METADATA;

    /** The document at a position. */
    public enum Document
    {
        /** A whole record; the scanner decides whether it belongs here. */
        RECORD,
        /** No header: zeros, Chronicle's end mark, or the end of the file. */
        BLANK,
        /** Anything else; {@link SegmentWalker#fault()} describes it. */
        BROKEN
    }

    private final int segment;
    private final ByteSource source;
    private final RegionListener regions;
    private final CRC32C crc = new CRC32C();
    private byte[] window;
    private long windowPosition;
    private int windowLength;
    private long position;
    private long next;
    private int start;
    private int length;
    private String fault;
    private boolean whole;

    public SegmentWalker(final int segment, final ByteSource source, final RegionListener regions)
    {
        this.segment = segment;
        this.source = source;
        this.regions = regions;
        window = new byte[windowFor(source)];
    }

    /** Bytes for the whole file if it is small; never less than one envelope. */
    static int windowFor(final ByteSource source)
    {
        return (int)Math.max(Envelope.LENGTH, Math.min(WINDOW_BYTES, source.length()));
    }

    /** The next document is the one at this position. */
    void startAt(final long documentPosition)
    {
        next = documentPosition;
    }

    /** Moves to the next document that is not Chronicle's own. There is a further one only after RECORD. */
    public Document next()
    {
        fault = null;
        whole = false;
        while (true)
        {
            position = next;
            if (!load(position, HEADER_BYTES))
            {
                return position >= source.length() ? Document.BLANK : broken("the file ends inside a document header");
            }
            final int header = Envelope.int32(window, start);
            if (header == 0 || header == END_MARK)
            {
                return Document.BLANK;
            }
            if ((header & INCOMPLETE) != 0)
            {
                return broken("Chronicle's header says that the record was not finished");
            }
            length = header & LENGTH_MASK;
            if (length > source.length() - position - HEADER_BYTES)
            {
                return broken("Chronicle's header gives " + length + " bytes, which leave the file");
            }
            if ((header & METADATA) == 0)
            {
                return record();
            }
            final String unknown = skipMetadata();
            if (unknown != null)
            {
                return broken(unknown);
            }
        }
    }

    private Document record()
    {
        if (position == 0)
        {
            return broken("the file does not begin with Chronicle's store header");
        }
        if (length < Envelope.LENGTH || length > Envelope.MAX_RECORD_BYTES)
        {
            return broken("Chronicle's header gives " + length + " bytes, which no record has");
        }
        load(position + HEADER_BYTES, Envelope.LENGTH);
        if (Envelope.magic(window, start) != Envelope.MAGIC)
        {
            return broken("no Signalbox record is here");
        }
        if (Envelope.totalLength(window, start) != length)
        {
            return broken("the record gives " + Envelope.totalLength(window, start) +
                " bytes and Chronicle's header " + length);
        }
        load(position + HEADER_BYTES, length);
        if (!Envelope.crcFits(window, start, length, crc))
        {
            return broken("the record's CRC32C does not fit its bytes");
        }
        advance(Region.RECORD);
        whole = true;
        return Document.RECORD;
    }

    /** Skips a document that Chronicle wrote for itself; returns the fault if its name is not known, else {@code null}. */
    private String skipMetadata()
    {
        final Region region = metadataRegion();
        if (region == null || (region == Region.CHRONICLE_STORE_HEADER) != (position == 0))
        {
            return "a Chronicle document of unknown name is here";
        }
        advance(region);
        return null;
    }

    private Region metadataRegion()
    {
        final int named = Math.min(length, ChronicleNames.LONGEST);
        load(position + HEADER_BYTES, named);
        return ChronicleNames.region(window, start, named);
    }

    private void advance(final Region region)
    {
        final long end = position + HEADER_BYTES + length;
        next = end + ALIGNMENT - 1 & -ALIGNMENT;
        if (regions != null)
        {
            regions.onRegion(segment, position, end, region);
            if (next > end)
            {
                regions.onRegion(segment, end, Math.min(next, source.length()), Region.PADDING);
            }
        }
    }

    private Document broken(final String reason)
    {
        fault = reason;
        return Document.BROKEN;
    }

    /** Brings the bytes into the window and sets {@link #start()}; false if the file ends before them. */
    private boolean load(final long from, final int count)
    {
        if (from < windowPosition || from + count > windowPosition + windowLength)
        {
            if (from + count > source.length())
            {
                return false;
            }
            if (count > window.length)
            {
                window = new byte[Math.max(count, Math.min(2 * window.length, Envelope.MAX_RECORD_BYTES))];
            }
            windowPosition = from;
            windowLength = source.read(from, window, 0, (int)Math.min(window.length, source.length() - from));
            if (windowLength < count)
            {
                return false;
            }
        }
        start = (int)(from - windowPosition);
        return true;
    }

    /** The window that holds the current record; valid until the next call of {@link #next()}. */
    public byte[] bytes()
    {
        return window;
    }

    /** Offset of the current record's envelope in {@link #bytes()}. */
    public int start()
    {
        return start;
    }

    /** Length of the current record, envelope included. */
    int length()
    {
        return length;
    }

    /** Position of the current document's header in the file. */
    long position()
    {
        return position;
    }

    /** Position of the next document in the file. */
    long nextPosition()
    {
        return next;
    }

    /** Whether the current document is a whole record. */
    boolean isRecord()
    {
        return whole;
    }

    /** The fault of the current document; {@code null} if it has none. */
    String fault()
    {
        return fault;
    }

    ByteSource source()
    {
        return source;
    }

    @Override
    public void close()
    {
        source.close();
    }
}
