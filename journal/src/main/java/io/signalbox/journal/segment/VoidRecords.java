// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

import io.signalbox.event.EventReader;
import io.signalbox.event.RecordWriter;
import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.event.codec.VoidDecoder;
import io.signalbox.journal.VoidedInput;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.Collection;
import java.util.TreeMap;

/**
 * The {@code Void} records of a journal. Each is the first record behind the continuation of its segment, so a reader knows
 * them all before it reads the inputs that they declare void.
 */
public final class VoidRecords extends EventReader
{
    private static final int SHORTEST = MessageHeaderDecoder.ENCODED_LENGTH + VoidDecoder.BLOCK_LENGTH + Integer.BYTES;

    private final TreeMap<Long, Declared> records = new TreeMap<>();
    private final UnsafeBuffer payload = new UnsafeBuffer(0, 0);
    private Declared read;

    /** @param chain link of the voided record. */
    record Declared(VoidedInput input, long chain)
    {
    }

    /** Reads the heads of the segments. A head that is damaged has none: the scan that follows refuses it. */
    public static VoidRecords of(final JournalFiles files)
    {
        final VoidRecords found = new VoidRecords();
        for (int segment = Math.max(1, files.firstSegment()); segment < files.segmentCount(); segment++)
        {
            found.readHead(files, segment);
        }
        return found;
    }

    private void readHead(final JournalFiles files, final int segment)
    {
        final ByteSource source = files.exists(segment) ? files.open(segment) : null;
        if (source == null)
        {
            return;
        }
        try (SegmentWalker walker = new SegmentWalker(segment, source, null))
        {
            if (walker.next() == SegmentWalker.Document.RECORD && walker.next() == SegmentWalker.Document.RECORD &&
                Envelope.typeCode(walker.bytes(), walker.start()) == RecordType.VOID.code())
            {
                payload.wrap(walker.bytes(), walker.start() + Envelope.LENGTH, walker.length() - Envelope.LENGTH);
                final Declared declared = declared(payload);
                if (declared != null)
                {
                    records.put(declared.input.record(), declared);
                }
            }
        }
    }

    /** The declaration of a Void record; {@code null} if it cannot be decoded. */
    private Declared declared(final UnsafeBuffer record)
    {
        read = null;
        try
        {
            if (record.capacity() >= SHORTEST)
            {
                readMessage(record, 0, record.capacity());
            }
            return read;
        }
        catch (final IllegalArgumentException | IllegalStateException | IndexOutOfBoundsException e)
        {
            return null;
        }
    }

    @Override
    protected void onVoid(final VoidDecoder message)
    {
        final long record = message.record();
        final long chain = message.chain();
        read = new Declared(new VoidedInput(record, message.reason()), chain);
    }

    public void add(final VoidedInput input, final long chain)
    {
        records.put(input.record(), new Declared(input, chain));
    }

    /** Whether this record of a scan declares an input void that was found before. */
    public boolean lists(final UnsafeBuffer record)
    {
        final Declared declared = declared(record);
        return declared != null && declared.equals(records.get(declared.input.record()));
    }

    public boolean isVoid(final long record)
    {
        return !records.isEmpty() && records.containsKey(record);
    }

    /** Whether the link is the one that the voided record had. */
    public boolean fits(final long record, final long chain)
    {
        return records.get(record).chain == chain;
    }

    /** In the order of the records. */
    public Collection<VoidedInput> inputs()
    {
        return records.values().stream().map(Declared::input).toList();
    }

    /** Encodes a declaration. */
    public static RecordWriter encode(final VoidedInput input, final long chain)
    {
        final RecordWriter record = new RecordWriter();
        record.voided(input.record(), chain, input.reason());
        return record;
    }
}
