// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

import io.signalbox.event.GroupWriter;
import io.signalbox.event.codec.MessageHeaderEncoder;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The 64 bytes ahead of every payload, little endian.
 *
 * <pre>
 *   0        4        8      10      12       16
 *   +--------+--------+--+---+-------+--------+
 *   | magic  | total  |ty|for|schema | CRC32C |
 *   | "SJL1" | length |pe|m  |version|        |
 *   +--------+--------+------+-------+--------+--------+
 *   | sequence        | logical time, ns                |  16 .. 32
 *   +-----------------+---------------------------------+
 *   | chain           | wall time, ns since 1970        |  32 .. 48
 *   +-----------------+---------------------------------+
 *   | synced sequence | place: segment, position        |  48 .. 64
 *   +-----------------+---------------------------------+
 *   | payload ...                                       |
 * </pre>
 *
 * The CRC32C is taken over the whole record with its own four bytes as zero.
 */
public final class Envelope
{
    public static final int LENGTH = 64;
    static final int MAGIC = 0x314C4A53;
    /** The only version that this program writes and reads. */
    public static final int SCHEMA_VERSION = MessageHeaderEncoder.SCHEMA_VERSION;
    /** A group at its bound. No writer makes a longer record and no reader asks memory for one. */
    public static final int MAX_RECORD_BYTES = LENGTH + GroupWriter.MAX_GROUP_BYTES;

    /** The payload form: the bytes of the payload, unchanged. */
    static final int PLAIN = 0;

    /** Nothing is known to be synced. */
    public static final long NOT_SYNCED = -1;

    private static final int TOTAL_LENGTH = 4;
    private static final int TYPE = 8;
    private static final int FORM = 9;
    private static final int VERSION = 10;
    private static final int CRC = 12;
    private static final int SEQUENCE = 16;
    private static final int LOGICAL_TIME = 24;
    private static final int CHAIN = 32;
    private static final int WALL_TIME = 40;
    private static final int SYNCED_SEQUENCE = 48;
    private static final int PLACE = 56;
    private static final int POSITION_BITS = 40;

    private static final VarHandle SHORT =
        MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private Envelope()
    {
    }

    public static void putIdentity(final byte[] record, final int totalLength, final RecordType type)
    {
        INT.set(record, 0, MAGIC);
        INT.set(record, TOTAL_LENGTH, totalLength);
        record[TYPE] = (byte)type.code();
        record[FORM] = PLAIN;
        SHORT.set(record, VERSION, (short)SCHEMA_VERSION);
    }

    public static void putHistory(final byte[] record, final long sequence, final long logicalTimeNanos, final long chain)
    {
        LONG.set(record, SEQUENCE, sequence);
        LONG.set(record, LOGICAL_TIME, logicalTimeNanos);
        LONG.set(record, CHAIN, chain);
    }

    public static void putCircumstances(
        final byte[] record, final long wallTimeNanos, final long syncedSequence, final long place)
    {
        LONG.set(record, WALL_TIME, wallTimeNanos);
        LONG.set(record, SYNCED_SEQUENCE, syncedSequence);
        LONG.set(record, PLACE, place);
    }

    /** Closes the record; every other byte must be final. */
    public static void putCrc(final byte[] record, final int totalLength, final CRC32C crc)
    {
        INT.set(record, CRC, 0);
        crc.reset();
        crc.update(record, 0, totalLength);
        INT.set(record, CRC, (int)crc.getValue());
    }

    /** Whether the stored CRC fits; leaves the bytes as they are. */
    static boolean crcFits(final byte[] bytes, final int start, final int totalLength, final CRC32C crc)
    {
        final int stored = (int)INT.get(bytes, start + CRC);
        INT.set(bytes, start + CRC, 0);
        crc.reset();
        crc.update(bytes, start, totalLength);
        INT.set(bytes, start + CRC, stored);
        return stored == (int)crc.getValue();
    }

    static int magic(final byte[] bytes, final int start)
    {
        return (int)INT.get(bytes, start);
    }

    public static int totalLength(final byte[] bytes, final int start)
    {
        return (int)INT.get(bytes, start + TOTAL_LENGTH);
    }

    static int typeCode(final byte[] bytes, final int start)
    {
        return bytes[start + TYPE] & 0xFF;
    }

    /** The payload form; this version reads {@link #PLAIN} only. */
    static int form(final byte[] bytes, final int start)
    {
        return bytes[start + FORM] & 0xFF;
    }

    static int version(final byte[] bytes, final int start)
    {
        return (short)SHORT.get(bytes, start + VERSION) & 0xFFFF;
    }

    static long sequence(final byte[] bytes, final int start)
    {
        return (long)LONG.get(bytes, start + SEQUENCE);
    }

    public static long logicalTimeNanos(final byte[] bytes, final int start)
    {
        return (long)LONG.get(bytes, start + LOGICAL_TIME);
    }

    static long chain(final byte[] bytes, final int start)
    {
        return (long)LONG.get(bytes, start + CHAIN);
    }

    public static long wallTimeNanos(final byte[] bytes, final int start)
    {
        return (long)LONG.get(bytes, start + WALL_TIME);
    }

    public static long syncedSequence(final byte[] bytes, final int start)
    {
        return (long)LONG.get(bytes, start + SYNCED_SEQUENCE);
    }

    public static long place(final byte[] bytes, final int start)
    {
        return (long)LONG.get(bytes, start + PLACE);
    }

    /** The segment that a record names. */
    static int segment(final byte[] bytes, final int start)
    {
        return (int)(place(bytes, start) >>> POSITION_BITS);
    }

    /** Segment number in the upper 24 bits, byte position of the envelope in the segment's file in the lower 40. */
    public static long place(final int segment, final long position)
    {
        return (long)segment << POSITION_BITS | position;
    }

    public static int int32(final byte[] bytes, final int index)
    {
        return (int)INT.get(bytes, index);
    }

    public static long int64(final byte[] bytes, final int index)
    {
        return (long)LONG.get(bytes, index);
    }

    public static void putInt64(final byte[] bytes, final int index, final long value)
    {
        LONG.set(bytes, index, value);
    }
}
