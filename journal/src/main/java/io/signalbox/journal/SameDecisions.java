// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.event.GroupReader;
import io.signalbox.event.codec.CommitDecoder;
import io.signalbox.event.codec.DigestDecoder;
import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.event.codec.ScheduleDecoder;
import io.signalbox.event.codec.WithdrawnDecoder;
import org.agrona.DirectBuffer;

import java.nio.ByteOrder;

/**
 * Compares the outputs of a group with those that were decided without tokens. Everything must be equal but what depends on
 * the values of tokens: the tokens, log-probabilities, block hashes, state digests, and what a refused completion claimed.
 */
final class SameDecisions
{
    private static final int GROUP_HEADER = 6;

    /** The part of a repeating group that must be equal. */
    private enum Part
    {
        ALL, ALL_BUT_THE_HASH, NUMBER_ONLY
    }

    private static final Part[] SCHEDULE = {
        Part.ALL, Part.ALL_BUT_THE_HASH, Part.ALL, Part.ALL_BUT_THE_HASH, Part.ALL, Part.ALL};
    private static final Part[] COMMIT = {
        Part.ALL, Part.NUMBER_ONLY, Part.ALL, Part.ALL_BUT_THE_HASH, Part.NUMBER_ONLY, Part.ALL_BUT_THE_HASH};

    private final GroupReader recorded = new GroupReader();
    private final GroupReader decided = new GroupReader();

    /** The name of the first output that differs; {@code null} if none does. */
    String difference(
        final DirectBuffer group, final int offset, final int length, final DirectBuffer other, final int otherLength)
    {
        recorded.wrap(group, offset, length).next();
        decided.wrap(other, 0, otherLength).next();
        while (recorded.next())
        {
            if (!decided.next() || recorded.template() != decided.template() || !isEqual())
            {
                return "template " + recorded.template();
            }
        }
        return decided.next() ? "template " + decided.template() : null;
    }

    private boolean isEqual()
    {
        return switch (recorded.template())
        {
            case DigestDecoder.TEMPLATE_ID -> true;
            case WithdrawnDecoder.TEMPLATE_ID ->
                bytesEqual(0, MessageHeaderDecoder.ENCODED_LENGTH + WithdrawnDecoder.BLOCK_LENGTH);
            case ScheduleDecoder.TEMPLATE_ID -> partsEqual(ScheduleDecoder.BLOCK_LENGTH, SCHEDULE);
            case CommitDecoder.TEMPLATE_ID -> partsEqual(CommitDecoder.BLOCK_LENGTH, COMMIT);
            default -> recorded.messageLength() == decided.messageLength() && bytesEqual(0, recorded.messageLength());
        };
    }

    private boolean partsEqual(final int block, final Part[] parts)
    {
        final int length = recorded.messageLength();
        int at = MessageHeaderDecoder.ENCODED_LENGTH + block;
        if (decided.messageLength() != length || !bytesEqual(0, at))
        {
            return false;
        }
        for (final Part part : parts)
        {
            if (!bytesEqual(at, GROUP_HEADER))
            {
                return false;
            }
            final int entry = recorded.buffer().getShort(recorded.offset() + at, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
            final int count = recorded.buffer().getInt(recorded.offset() + at + Short.BYTES, ByteOrder.LITTLE_ENDIAN);
            at += GROUP_HEADER;
            final int skipped = part == Part.ALL ? 0 : part == Part.NUMBER_ONLY ? entry : Long.BYTES;
            for (int i = 0; i < count; i++)
            {
                if (!bytesEqual(at + skipped, entry - skipped))
                {
                    return false;
                }
                at += entry;
            }
        }
        return true;
    }

    private boolean bytesEqual(final int from, final int count)
    {
        for (int i = from; i < from + count; i++)
        {
            if (recorded.buffer().getByte(recorded.offset() + i) != decided.buffer().getByte(decided.offset() + i))
            {
                return false;
            }
        }
        return true;
    }
}
