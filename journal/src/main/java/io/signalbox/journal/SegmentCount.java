// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.event.EventReader;
import io.signalbox.event.codec.Closing;
import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.event.codec.SealDecoder;
import org.agrona.concurrent.UnsafeBuffer;

/** Reads the payload of a seal or a continuation from the walker's current record. */
final class SegmentCount
{
    private static final int LENGTH = MessageHeaderDecoder.ENCODED_LENGTH + SealDecoder.BLOCK_LENGTH;

    private SegmentCount()
    {
    }

    /** {@code null} if the payload is no such count; a newer schema may have made it longer. */
    static SealDecoder of(final SegmentWalker walker)
    {
        final int payload = walker.length() - Envelope.LENGTH;
        if (payload < LENGTH)
        {
            return null;
        }
        final SealReader reader = new SealReader();
        try
        {
            reader.readMessage(
                new UnsafeBuffer(walker.bytes(), walker.start() + Envelope.LENGTH, payload), 0, payload);
        }
        // The payload is another message, whose parts leave the record.
        catch (final IllegalArgumentException | IllegalStateException | IndexOutOfBoundsException e)
        {
            return null;
        }
        return reader.seal;
    }

    /** Keeps the seal that it reads. */
    private static final class SealReader extends EventReader
    {
        private SealDecoder seal;

        @Override
        protected void onSeal(final SealDecoder message)
        {
            seal = message;
        }
    }

    static boolean isContinuation(final SegmentWalker walker, final int segment)
    {
        return Envelope.typeCode(walker.bytes(), walker.start()) == RecordType.CONTINUATION.code() &&
            Envelope.place(walker.bytes(), walker.start()) ==
                Envelope.place(segment, walker.position() + SegmentWalker.HEADER_BYTES) &&
            of(walker) != null;
    }

    /** Of a continuation: whether the segment ahead of it ends with a seal. */
    static boolean sealedAhead(final SegmentWalker walker)
    {
        return of(walker).closingRaw() == Closing.YES.value();
    }

    /** Of a seal; {@code null} if this version knows no such ending. */
    static Ending ending(final SealDecoder seal)
    {
        return Ending.of(seal.closingRaw());
    }
}
