// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.snapshot;

import com.dynatrace.hash4j.hashing.Hashing;
import io.signalbox.ConfigException;
import io.signalbox.event.RecordWriter;
import io.signalbox.journal.segment.Envelope;
import io.signalbox.journal.segment.JournalMark;
import io.signalbox.journal.segment.JournalPosition;
import io.signalbox.journal.segment.RunDescription;
import io.signalbox.journal.segment.UnfitSnapshotException;
import io.signalbox.state.FoldedState;
import io.signalbox.state.StateCodec;
import io.signalbox.state.StateShape;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteOrder;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * The bytes of a snapshot. All numbers are little endian.
 *
 * <pre>
 *   byte   0  magic "SJT1" (u32), format version (u32)
 *          8  length of the file (int64)
 *         16  records, groups, chain, bytes of the journal up to the snapshot (int64 each)
 *         48  segment, position, records of the segment, records of the segment before (int64 each)
 *         80  latest logical time of a group, ns (int64)
 *         88  XXH3-64 of the state (int64)
 *         96  length of the run description, length of the state (int64 each)
 *        112  run description, as in record 0; state
 *        end  CRC32C of all bytes ahead of it (u32)
 * </pre>
 */
public final class SnapshotFile
{
    static final int MAGIC = 0x31544A53;
    /** Changes with every change of {@link StateCodec}. */
    static final int VERSION = 1;
    public static final int HEADER_BYTES = 112;
    static final long MAX_BYTES = 1L << 30;
    private static final int VERSION_AT = 4;
    private static final int LENGTH = 8;
    private static final int RECORDS = 16;
    private static final int GROUPS = 24;
    private static final int CHAIN = 32;
    private static final int BYTES = 40;
    private static final int SEGMENT = 48;
    private static final int POSITION = 56;
    private static final int SEGMENT_RECORDS = 64;
    private static final int RECORDS_BEFORE = 72;
    private static final int TIME = 80;
    private static final int STATE_HASH = 88;
    private static final int SETTINGS_LENGTH = 96;
    private static final int STATE_LENGTH = 104;

    private SnapshotFile()
    {
    }

    /** Encodes the snapshot; returns its length. */
    static int encode(final StateSnapshot snapshot, final ExpandableArrayBuffer target)
    {
        final RecordWriter description = RunDescription.encode(snapshot.settings());
        target.putBytes(HEADER_BYTES, description.buffer(), 0, description.length());
        final int stateAt = HEADER_BYTES + description.length();
        final int end = StateCodec.encode(snapshot.state(), target, stateAt);
        final byte[] bytes = target.byteArray();
        final JournalMark mark = snapshot.mark();
        target.putInt(0, MAGIC, ByteOrder.LITTLE_ENDIAN);
        target.putInt(VERSION_AT, VERSION, ByteOrder.LITTLE_ENDIAN);
        Envelope.putInt64(bytes, LENGTH, end + Integer.BYTES);
        Envelope.putInt64(bytes, RECORDS, mark.place().records());
        Envelope.putInt64(bytes, GROUPS, mark.place().groups());
        Envelope.putInt64(bytes, CHAIN, mark.place().chain());
        Envelope.putInt64(bytes, BYTES, mark.place().bytes());
        Envelope.putInt64(bytes, SEGMENT, mark.segment());
        Envelope.putInt64(bytes, POSITION, mark.position());
        Envelope.putInt64(bytes, SEGMENT_RECORDS, mark.segmentRecords());
        Envelope.putInt64(bytes, RECORDS_BEFORE, mark.recordsOfSegmentBefore());
        Envelope.putInt64(bytes, TIME, snapshot.state().timeNanos());
        Envelope.putInt64(bytes, STATE_HASH, Hashing.xxh3_64().hashBytesToLong(bytes, stateAt, end - stateAt));
        Envelope.putInt64(bytes, SETTINGS_LENGTH, description.length());
        Envelope.putInt64(bytes, STATE_LENGTH, end - stateAt);
        target.putInt(end, crc(bytes, end), ByteOrder.LITTLE_ENDIAN);
        return end + Integer.BYTES;
    }

    private static int crc(final byte[] bytes, final int length)
    {
        final CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int)crc.getValue();
    }

    /**
     * Reads a whole file.
     *
     * @throws UnfitSnapshotException if it is not as it was written, or by another version of this program.
     */
    public static StateSnapshot decode(final byte[] file)
    {
        requireWhole(file);
        final long settingsLength = Envelope.int64(file, SETTINGS_LENGTH);
        final long stateLength = Envelope.int64(file, STATE_LENGTH);
        if (settingsLength < 0 || stateLength < 0 || settingsLength > file.length || stateLength > file.length ||
            HEADER_BYTES + settingsLength + stateLength + Integer.BYTES != file.length)
        {
            throw new UnfitSnapshotException("its parts do not have its length");
        }
        final int stateAt = HEADER_BYTES + (int)settingsLength;
        if (Hashing.xxh3_64().hashBytesToLong(file, stateAt, (int)stateLength) != Envelope.int64(file, STATE_HASH))
        {
            throw new UnfitSnapshotException("its state does not have its hash");
        }
        try
        {
            final Map<String, String> settings =
                RunDescription.decode(new UnsafeBuffer(file, HEADER_BYTES, (int)settingsLength), 0);
            final StateShape shape = StateShapes.of(settings);
            final FoldedState state = StateCodec.decode(shape, new UnsafeBuffer(file), stateAt, (int)stateLength);
            return new StateSnapshot(settings, mark(file), state);
        }
        catch (final IllegalArgumentException | IllegalStateException | IndexOutOfBoundsException | ConfigException e)
        {
            throw new UnfitSnapshotException("it cannot be decoded (" + e.getMessage() + ")", e);
        }
    }

    /**
     * Checks the first bytes of a file before memory is allocated for the rest.
     *
     * @param length of the file.
     */
    static void requireHeader(final byte[] header, final long length)
    {
        if (length < HEADER_BYTES + Integer.BYTES || Envelope.int32(header, 0) != MAGIC)
        {
            throw new UnfitSnapshotException("it does not begin as a snapshot does");
        }
        if (Envelope.int64(header, LENGTH) != length)
        {
            throw new UnfitSnapshotException("its bytes are not those that were written");
        }
    }

    private static void requireWhole(final byte[] file)
    {
        requireHeader(file, file.length);
        final int version = Envelope.int32(file, VERSION_AT);
        final boolean isWhole = Envelope.int32(file, file.length - Integer.BYTES) == crc(file, file.length - Integer.BYTES);
        if (isWhole && version != VERSION)
        {
            throw new UnfitSnapshotException("it has version " + version + ", and this program reads " + VERSION);
        }
        if (!isWhole)
        {
            throw new UnfitSnapshotException("its bytes are not those that were written");
        }
    }

    private static JournalMark mark(final byte[] file)
    {
        final long segment = Envelope.int64(file, SEGMENT);
        final long records = Envelope.int64(file, RECORDS);
        final long position = Envelope.int64(file, POSITION);
        if (segment < 0 || segment > Integer.MAX_VALUE || records < 1 || position < 0)
        {
            throw new IllegalArgumentException("its place in the journal is none");
        }
        return new JournalMark(
            new JournalPosition(records, Envelope.int64(file, GROUPS), Envelope.int64(file, CHAIN),
                Envelope.int64(file, BYTES)),
            (int)segment, position, Envelope.int64(file, SEGMENT_RECORDS), Envelope.int64(file, RECORDS_BEFORE));
    }

    /** Of a file whose first bytes these are: the latest logical time of a group. Not checked: the whole file is, later. */
    static long timeNanos(final byte[] header)
    {
        return Envelope.int64(header, TIME);
    }
}
