// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.event.codec.CaptureRowsDecoder;
import io.signalbox.event.codec.CaptureRowsEncoder;
import io.signalbox.event.codec.D2hCompleteDecoder;
import io.signalbox.event.codec.MessageHeaderEncoder;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.segment.JournalScanner;
import io.signalbox.journal.segment.RecordType;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;

/**
 * Reads journals whose run description, chunk of rows or completion is shorter than its fields. Also a program, because
 * Agrona reads the flag that switches off its bounds checks once per process.
 */
final class ShortMessages
{
    /** The only kind of refusal. */
    static final Set<String> REFUSALS = Collections.singleton(Kind.CORRUPT_RECORD.name());

    private static final JournalConfig OPTIONS = Runs.options(Durability.PROCESS);

    private ShortMessages()
    {
    }

    public static void main(final String[] arguments)
    {
        System.out.println(UnsafeBuffer.SHOULD_BOUNDS_CHECK + " " + refusals());
    }

    /** The outcome of every length below that of the fields. */
    static Set<String> refusals()
    {
        final Set<String> outcomes = new TreeSet<>();
        final UnsafeBuffer group = Runs.completion(7, 0, 0);
        for (int length = 0; length < D2hCompleteDecoder.BLOCK_LENGTH; length++)
        {
            final UnsafeBuffer cut = new UnsafeBuffer(
                group.byteArray(), 0, Integer.BYTES + MessageHeaderEncoder.ENCODED_LENGTH + length);
            cut.putInt(0, MessageHeaderEncoder.ENCODED_LENGTH + length);
            outcomes.add(outcome(RecordType.GROUP, cut));
        }
        final UnsafeBuffer chunk = new UnsafeBuffer(new byte[100]);
        new CaptureRowsEncoder().wrapAndApplyHeader(chunk, 0, new MessageHeaderEncoder()).step(7).firstRow(0).rowCount(1);
        final int rows = MessageHeaderEncoder.ENCODED_LENGTH + CaptureRowsDecoder.BLOCK_LENGTH;
        for (int length = 0; length < rows + CaptureRowsDecoder.rowsHeaderLength(); length++)
        {
            outcomes.add(outcome(RecordType.ROWS, new UnsafeBuffer(chunk.byteArray(), 0, length)));
        }
        return outcomes;
    }

    /** Appends the record to a journal and reads it. */
    private static String outcome(final RecordType type, final UnsafeBuffer payload)
    {
        final SimulatedLog log = SimulatedLog.open(3, OPTIONS);
        log.log().append(type, 7, payload, 0, payload.capacity());
        try (JournalReader reader = JournalReader.of(JournalScanner.reading(log.files(), null)))
        {
            boolean more = true;
            while (more)
            {
                more = reader.next();
            }
            return "accepted " + type + " of " + payload.capacity() + " bytes";
        }
        catch (final JournalException e)
        {
            return e.kind().name();
        }
    }
}
