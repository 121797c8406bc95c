// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

/**
 * The packed form of a payload with expert ids: the same bytes, with the ids of its rows in as few bits as the largest of
 * them takes. Everything else of the payload is copied. The digest covers the payload, and so does not depend on its form.
 *
 * <pre>
 *   u32 bytes ahead of the rows | u32 rows | u32 ids per row | u32 bytes of a row behind its ids |
 *   u8 bytes of an id | u8 bits of a packed id | u16 zero | bytes ahead | rows | bytes behind
 * </pre>
 *
 * The packed ids of a row begin with a byte. Rows of which each is nothing but ids are packed as one long row.
 */
final class PackedPayload
{
    static final int HEADER_BYTES = 20;
    private static final int ROWS = 4;
    private static final int IDS = 8;
    private static final int REST = 12;
    private static final int ID_BYTES = 16;
    private static final int RESERVED_SHIFT = 2 * Byte.SIZE;
    private static final int BITS = 17;
    private static final long UNSIGNED = 0xFFFF_FFFFL;
    /** A packed form that saves less costs more time than its bytes. */
    private static final int LEAST_SAVED_BYTES = 32;
    private static final int LARGEST_PAYLOAD_BYTES = Envelope.MAX_RECORD_BYTES - Envelope.LENGTH;

    private final RowRegion unpackedRows = new RowRegion(null);
    private byte[] bytes = new byte[1024];
    private int length;

    /**
     * Packs a payload, if that saves bytes.
     *
     * @param payload has {@link PackedIds#SLACK_BYTES} behind the payload.
     * @param room    bytes to leave free ahead of the result.
     * @return whether {@link #bytes()} has the packed form, from {@code room} on.
     */
    boolean pack(final byte[] payload, final int from, final int payloadLength, final RowRegion rows, final int room)
    {
        if (rows.bytes() <= LEAST_SAVED_BYTES)
        {
            return false;
        }
        final int bits = bits(payload, from + rows.start(), rows);
        final long rowBytes = PackedIds.packedBytes(rows.ids(), bits) + rows.rest();
        final int behind = payloadLength - rows.start() - rows.bytes();
        final long packed = HEADER_BYTES + rows.start() + rows.rows() * rowBytes + behind;
        if (packed > payloadLength - LEAST_SAVED_BYTES)
        {
            return false;
        }
        length = (int)packed;
        grow(room + length);
        putHeader(room, rows, bits);
        packRows(payload, from, rows, bits, room + HEADER_BYTES, (int)rowBytes);
        System.arraycopy(payload, from + payloadLength - behind, bytes, room + length - behind, behind);
        return true;
    }

    private static int bits(final byte[] payload, final int from, final RowRegion rows)
    {
        int bits = 1;
        final int idsBytes = rows.ids() * rows.idBytes();
        for (int row = 0; row < rows.rows() && bits < rows.idBytes() * Byte.SIZE; row++)
        {
            final int at = from + row * (idsBytes + rows.rest());
            bits = Math.max(bits, PackedIds.bitsOf(payload, at, idsBytes, rows.idBytes()));
        }
        return bits;
    }

    private void putHeader(final int at, final RowRegion rows, final int bits)
    {
        Envelope.putInt32(bytes, at, rows.start());
        Envelope.putInt32(bytes, at + ROWS, rows.rows());
        Envelope.putInt32(bytes, at + IDS, rows.ids());
        Envelope.putInt32(bytes, at + REST, rows.rest());
        Envelope.putInt32(bytes, at + ID_BYTES, rows.idBytes() | bits << Byte.SIZE);
    }

    /** Packing writes behind a row's last id; what belongs there is copied afterwards. */
    private void packRows(
        final byte[] payload, final int from, final RowRegion rows, final int bits, final int target, final int rowBytes)
    {
        System.arraycopy(payload, from, bytes, target, rows.start());
        final int idsBytes = rows.ids() * rows.idBytes();
        int at = from + rows.start();
        int to = target + rows.start();
        for (int row = 0; row < rows.rows(); row++)
        {
            PackedIds.pack(payload, at, rows.ids(), rows.idBytes(), bits, bytes, to);
            System.arraycopy(payload, at + idsBytes, bytes, to + rowBytes - rows.rest(), rows.rest());
            at += idsBytes + rows.rest();
            to += rowBytes;
        }
    }

    /**
     * Unpacks a payload into {@link #bytes()}, from 0 on. No length is used before it was compared with the bytes that are
     * there, so the result has at most sixteen times as many.
     *
     * @param packed has {@link PackedIds#SLACK_BYTES} behind the payload.
     * @return why it cannot be unpacked; {@code null} if it is.
     */
    String unpack(final byte[] packed, final int from, final int packedLength)
    {
        length = 0;
        if (packedLength < HEADER_BYTES)
        {
            return "its " + packedLength + " bytes are fewer than the " + HEADER_BYTES + " of its header";
        }
        final long ahead = Envelope.int32(packed, from) & UNSIGNED;
        final long rows = Envelope.int32(packed, from + ROWS) & UNSIGNED;
        final long ids = Envelope.int32(packed, from + IDS) & UNSIGNED;
        final long rest = Envelope.int32(packed, from + REST) & UNSIGNED;
        final int idBytes = packed[from + ID_BYTES] & 0xFF;
        final int bits = packed[from + BITS] & 0xFF;
        if (idBytes < Byte.BYTES || idBytes > Short.BYTES || bits < 1 || bits >= idBytes * Byte.SIZE)
        {
            return "it gives ids of " + idBytes + " bytes " + bits + " bits each";
        }
        final int reserved = Envelope.int32(packed, from + ID_BYTES) >>> RESERVED_SHIFT;
        if (reserved != 0)
        {
            return "its header has " + reserved + " where 0 must be";
        }
        final long available = packedLength - HEADER_BYTES;
        final long rowBytes = PackedIds.packedBytes(ids, bits) + rest;
        if (ids == 0 || rows > available || rowBytes > available || ahead + rows * rowBytes > available)
        {
            return "its " + rows + " rows of " + ids + " ids and " + rest + " bytes do not fit its " + packedLength +
                " bytes";
        }
        final long unpacked = available + rows * (ids * idBytes + rest - rowBytes);
        if (unpacked > LARGEST_PAYLOAD_BYTES)
        {
            return "it would have " + unpacked + " bytes, and a payload has at most " + LARGEST_PAYLOAD_BYTES;
        }
        final int unused = (int)(PackedIds.packedBytes(ids, bits) * Byte.SIZE - ids * bits);
        if (unused > 0 && hasUnusedBits(packed, from + HEADER_BYTES + ahead + rowBytes - rest - 1, rows, rowBytes, unused))
        {
            return "its " + unused + " bits behind the ids of a row are not 0";
        }
        length = (int)unpacked;
        grow(length);
        unpackedRows.set((int)ahead, (int)rows, (int)ids, (int)rest, idBytes);
        unpackRows(packed, from + HEADER_BYTES, bits, (int)rowBytes);
        final int behind = (int)(available - ahead - rows * rowBytes);
        System.arraycopy(packed, from + packedLength - behind, bytes, length - behind, behind);
        return null;
    }

    /** @param at of the last byte of the first row's ids. */
    private static boolean hasUnusedBits(
        final byte[] packed, final long at, final long rows, final long rowBytes, final int unused)
    {
        for (long row = 0; row < rows; row++)
        {
            if ((packed[(int)(at + row * rowBytes)] & 0xFF) >>> Byte.SIZE - unused != 0)
            {
                return true;
            }
        }
        return false;
    }

    /** Unpacking writes behind a row's last id; what belongs there is copied afterwards. */
    private void unpackRows(final byte[] packed, final int from, final int bits, final int rowBytes)
    {
        final RowRegion rows = unpackedRows;
        System.arraycopy(packed, from, bytes, 0, rows.start());
        final int idsBytes = rows.ids() * rows.idBytes();
        int at = from + rows.start();
        int to = rows.start();
        for (int row = 0; row < rows.rows(); row++)
        {
            PackedIds.unpack(packed, at, rows.ids(), rows.idBytes(), bits, bytes, to);
            System.arraycopy(packed, at + rowBytes - rows.rest(), bytes, to + idsBytes, rows.rest());
            at += rowBytes;
            to += idsBytes + rows.rest();
        }
    }

    private void grow(final int needed)
    {
        if (needed + PackedIds.SLACK_BYTES > bytes.length)
        {
            bytes = new byte[(int)Math.min(2L * needed, Envelope.MAX_RECORD_BYTES) + PackedIds.SLACK_BYTES];
        }
    }

    /** The result of the last call; valid until the next. */
    byte[] bytes()
    {
        return bytes;
    }

    /** Length of the result, without the room ahead of it. */
    int length()
    {
        return length;
    }
}
