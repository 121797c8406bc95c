// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

import io.signalbox.event.EventReader;
import io.signalbox.event.codec.Closing;
import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.event.codec.SealDecoder;
import io.signalbox.journal.Ending;
import org.agrona.concurrent.UnsafeBuffer;

/** Reads the payload of seals and continuations from a walker's current record. */
final class SegmentCount extends EventReader
{
    private static final int LENGTH = MessageHeaderDecoder.ENCODED_LENGTH + SealDecoder.BLOCK_LENGTH;

    private final UnsafeBuffer payload = new UnsafeBuffer(0, 0);
    private SealDecoder seal;

    /**
     * Reads the count of the walker's current record; valid until the next call.
     *
     * @return {@code null} if the payload is no such count; a newer schema may have made it longer.
     */
    SealDecoder of(final SegmentWalker walker)
    {
        final int length = walker.length() - Envelope.LENGTH;
        seal = null;
        if (length < LENGTH)
        {
            return null;
        }
        payload.wrap(walker.bytes(), walker.start() + Envelope.LENGTH, length);
        try
        {
            readMessage(payload, 0, length);
        }
        // The payload is another message, whose parts leave the record.
        catch (final IllegalArgumentException | IllegalStateException | IndexOutOfBoundsException e)
        {
            return null;
        }
        return seal;
    }

    @Override
    protected void onSeal(final SealDecoder message)
    {
        seal = message;
    }

    boolean isContinuation(final SegmentWalker walker, final int segment)
    {
        return Envelope.typeCode(walker.bytes(), walker.start()) == RecordType.CONTINUATION.code() &&
            Envelope.place(walker.bytes(), walker.start()) ==
                Envelope.place(segment, walker.position() + SegmentWalker.HEADER_BYTES) &&
            of(walker) != null;
    }

    /** Of a continuation: whether the segment ahead of it ends with a seal. */
    boolean sealedAhead(final SegmentWalker walker)
    {
        return of(walker).closingRaw() == Closing.YES.value();
    }

    /** Of a seal; {@code null} if this version knows no such ending. */
    static Ending ending(final SealDecoder seal)
    {
        return Ending.of(seal.closingRaw());
    }
}
