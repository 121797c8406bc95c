// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.event.GroupWriter;
import io.signalbox.event.RecordWriter;
import io.signalbox.event.codec.D2hCompleteDecoder;
import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.experts.ModelShape;
import io.signalbox.journal.segment.Chain;
import io.signalbox.journal.segment.Envelope;
import io.signalbox.journal.segment.JournalPosition;
import io.signalbox.journal.segment.RecordType;
import io.signalbox.journal.segment.RowChunks;
import io.signalbox.journal.segment.RunDescription;
import io.signalbox.journal.segment.SegmentWalker;
import io.signalbox.journal.segment.SegmentedLog;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * Journals on the heap whose last group is any bytes, with right checksums and links, as of a writer at fault. The groups
 * ahead of it are written once for each group that they may begin with: a journal costs a copy and one record.
 */
final class ForgedJournals
{
    /** Most groups of a journal. */
    static final int MOST_GROUPS = 30;
    private static final long NANOS = 1;

    private final Map<String, String> settings;
    private final ModelShape shape;
    private final List<Group> groups;
    private final Beginning[] beginnings;
    private final Chain links = new Chain();
    private final CRC32C crc = new CRC32C();

    /**
     * A recorded group.
     *
     * @param rows {@code null}: none.
     */
    record Group(byte[] bytes, byte[] rows)
    {
    }

    /**
     * A run description and groups behind it.
     *
     * @param ends    where the record of each group begins in the bytes.
     * @param records records ahead of it.
     * @param chain   links ahead of it.
     */
    private record Beginning(byte[] bytes, int[] ends, long[] records, long[] chain)
    {
    }

    ForgedJournals(final Map<String, String> settings, final List<Group> groups)
    {
        this.settings = settings;
        this.groups = groups;
        shape = ModelShape.of(settings);
        beginnings = new Beginning[groups.size()];
    }

    int groups()
    {
        return groups.size();
    }

    Group group(final int number)
    {
        return groups.get(number);
    }

    /** A closed journal of groups {@code [0, to)}. */
    byte[] closed(final int to)
    {
        final SimulatedDisk disk = new SimulatedDisk();
        final SegmentedLog log = begin(disk);
        for (final Group group : groups.subList(0, to))
        {
            appendRows(log, group);
            append(log, group);
        }
        log.seal(Ending.CLOSED);
        return disk.files().bytes(0);
    }

    /** A journal of groups {@code [from, to)} and the rows of group {@code to}, which has other bytes. */
    MemoryFiles with(final int from, final int to, final byte[] last)
    {
        if (beginnings[from] == null)
        {
            beginnings[from] = beginning(from);
        }
        final Beginning beginning = beginnings[from];
        final int at = beginning.ends[to - from];
        final byte[] record = new byte[Envelope.LENGTH + last.length];
        System.arraycopy(last, 0, record, Envelope.LENGTH, last.length);
        final long sequence = beginning.records[to - from];
        final long link = links.next(beginning.chain[to - from], sequence, RecordType.GROUP, NANOS, record, Envelope.LENGTH,
            last.length);
        final int total = record.length;
        Envelope.putIdentity(record, total, RecordType.GROUP);
        Envelope.putHistory(record, sequence, NANOS, link);
        Envelope.putCircumstances(
            record, 0, Envelope.NOT_SYNCED, Envelope.place(0, at + SegmentWalker.HEADER_BYTES));
        Envelope.putCrc(record, total, crc);
        final byte[] file = Arrays.copyOf(beginning.bytes, at + SegmentWalker.HEADER_BYTES + total + 8 & -4);
        ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN).putInt(at, total);
        Arrays.fill(file, at + SegmentWalker.HEADER_BYTES, file.length, (byte)0);
        System.arraycopy(record, 0, file, at + SegmentWalker.HEADER_BYTES, total);
        return new MemoryFiles(new ArrayList<>(List.of(file)));
    }

    private SegmentedLog begin(final SimulatedDisk disk)
    {
        final SegmentedLog log = new SegmentedLog(disk, Runs.options(Durability.PROCESS), JournalPosition.START);
        final RecordWriter description = RunDescription.encode(settings);
        log.openFirst(Envelope.LENGTH + description.length());
        log.append(RecordType.RUN_DESCRIPTION, 0, description.buffer(), 0, description.length());
        return log;
    }

    private Beginning beginning(final int from)
    {
        final SimulatedDisk disk = new SimulatedDisk();
        final SegmentedLog log = begin(disk);
        final int count = Math.min(MOST_GROUPS, groups.size() - from);
        final long[] records = new long[count];
        final long[] chain = new long[count];
        for (int i = 0; i < count; i++)
        {
            appendRows(log, groups.get(from + i));
            records[i] = log.records();
            chain[i] = log.chain();
            append(log, groups.get(from + i));
        }
        final MemoryFiles files = disk.files();
        final List<Scans.Range> ranges = Scans.records(files, 0);
        final int[] ends = new int[count];
        Arrays.setAll(ends, i -> (int)ranges.get((int)records[i]).from());
        return new Beginning(files.bytes(0), ends, records, chain);
    }

    private void append(final SegmentedLog log, final Group group)
    {
        final UnsafeBuffer bytes = new UnsafeBuffer(group.bytes);
        log.append(RecordType.GROUP, NANOS, bytes, 0, group.bytes.length);
    }

    private void appendRows(final SegmentedLog log, final Group group)
    {
        if (group.rows == null)
        {
            return;
        }
        final D2hCompleteDecoder input = new D2hCompleteDecoder().wrapAndApplyHeader(
            new UnsafeBuffer(group.bytes), GroupWriter.LENGTH_BYTES, new MessageHeaderDecoder());
        final int count = group.rows.length / shape.rowBytes();
        final RowChunks chunks = new RowChunks();
        final Runs.Slice rows = new Runs.Slice(new UnsafeBuffer(group.rows), 0, count, shape.rowBytes());
        chunks.begin(rows, input.step(), input.epoch(), input.rank());
        while (chunks.next())
        {
            log.append(RecordType.ROWS, NANOS, chunks.buffer(), 0, chunks.length());
        }
    }
}
