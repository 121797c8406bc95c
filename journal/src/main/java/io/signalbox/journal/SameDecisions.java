// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.event.GroupReader;
import io.signalbox.event.codec.BackendFaultDecoder;
import io.signalbox.event.codec.CommitDecoder;
import io.signalbox.event.codec.ControlDecoder;
import io.signalbox.event.codec.D2hCompleteDecoder;
import io.signalbox.event.codec.DigestDecoder;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.event.codec.NewWeightsDecoder;
import io.signalbox.event.codec.ScheduleDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.event.codec.WithdrawnDecoder;
import org.agrona.DirectBuffer;

import java.nio.ByteOrder;

/**
 * Compares a group, or its outputs, with those that were decided without tokens. Everything must be equal but what depends
 * on the values of tokens: the tokens, log-probabilities, block hashes, state digests, and what a refused completion or a
 * fault said.
 */
public final class SameDecisions
{
    private static final int GROUP_HEADER = 6;
    private static final int GROUPS_OF_FREE = 2;

    /** The part of a repeating group that must be equal. */
    private enum Part
    {
        ALL, ALL_BUT_THE_HASH,
        /** Number and length of its entries. */
        NUMBER_ONLY,
        /** Number of its entries. */
        COUNT_ONLY
    }

    private static final Part[] SCHEDULE = {
        Part.ALL, Part.ALL_BUT_THE_HASH, Part.ALL, Part.ALL_BUT_THE_HASH, Part.ALL};
    private static final Part[] COMMIT = {
        Part.ALL, Part.NUMBER_ONLY, Part.ALL, Part.ALL_BUT_THE_HASH, Part.NUMBER_ONLY};
    private static final Part[] COMPLETION = {Part.ALL, Part.COUNT_ONLY, Part.ALL, Part.COUNT_ONLY};

    private final GroupReader recorded = new GroupReader();
    private final GroupReader decided = new GroupReader();
    private boolean recordedHasMore;

    /** The name of the first output that differs; {@code null} if none does. */
    String difference(
        final DirectBuffer group, final int offset, final int length, final DirectBuffer other, final int otherLength)
    {
        recorded.wrap(group, offset, length).next();
        decided.wrap(other, 0, otherLength).next();
        if (firstDifference(1) < 0)
        {
            return null;
        }
        return "template " + (recordedHasMore ? recorded : decided).template();
    }

    /**
     * Compares the inputs as well.
     *
     * @return the index of the first message that differs; -1 if none does.
     */
    public int differentMessage(
        final DirectBuffer group, final int length, final DirectBuffer other, final int otherLength)
    {
        recorded.wrap(group, 0, length);
        decided.wrap(other, 0, otherLength);
        return firstDifference(0);
    }

    private int firstDifference(final int next)
    {
        int index = next;
        recordedHasMore = recorded.next();
        while (recordedHasMore)
        {
            if (!decided.next() || recorded.template() != decided.template() || !isEqual())
            {
                return index;
            }
            index++;
            recordedHasMore = recorded.next();
        }
        return decided.next() ? index : -1;
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
            case SubmitDecoder.TEMPLATE_ID -> submitsEqual();
            case ControlDecoder.TEMPLATE_ID -> namedEqual(ControlDecoder.BLOCK_LENGTH);
            case NewWeightsDecoder.TEMPLATE_ID -> namedEqual(NewWeightsDecoder.BLOCK_LENGTH);
            case FreeDecoder.TEMPLATE_ID -> freesEqual();
            case D2hCompleteDecoder.TEMPLATE_ID -> partsEqual(D2hCompleteDecoder.BLOCK_LENGTH, COMPLETION);
            case BackendFaultDecoder.TEMPLATE_ID ->
                bytesEqual(0, MessageHeaderDecoder.ENCODED_LENGTH + BackendFaultDecoder.BLOCK_LENGTH);
            default -> recorded.messageLength() == decided.messageLength() && bytesEqual(0, recorded.messageLength());
        };
    }

    /** Lengths are part of the block, the number of block hashes follows from them. */
    private boolean submitsEqual()
    {
        final int end = MessageHeaderDecoder.ENCODED_LENGTH + SubmitDecoder.BLOCK_LENGTH;
        if (!bytesEqual(0, end + Integer.BYTES))
        {
            return false;
        }
        final int recordedKeyAt = behindData(recorded, end);
        final int decidedKeyAt = behindData(decided, end);
        return (int32(recorded, recordedKeyAt) > 0) == (int32(decided, decidedKeyAt) > 0) &&
            stops(recorded, recordedKeyAt) == stops(decided, decidedKeyAt);
    }

    /** Whether a request has stop tokens. They follow its cache key, its tokens and its hash chain. */
    private static boolean stops(final GroupReader submit, final int keyAt)
    {
        return int32(submit, behindData(submit, behindData(submit, behindData(submit, keyAt)))) > 0;
    }

    /** The position after a field of variable length. */
    private static int behindData(final GroupReader message, final int at)
    {
        return at + Integer.BYTES + int32(message, at);
    }

    /** A name may be a pseudonym in one of the journals. */
    private boolean namesEqual(final int at)
    {
        return int32(recorded, at) > 0 == int32(decided, at) > 0;
    }

    /** Messages of a block and a name. */
    private boolean namedEqual(final int block)
    {
        final int name = MessageHeaderDecoder.ENCODED_LENGTH + block;
        return bytesEqual(0, name) && namesEqual(name);
    }

    /** All but the sentence of a failure, which follows the repeating groups and may quote a fault. */
    private boolean freesEqual()
    {
        int at = MessageHeaderDecoder.ENCODED_LENGTH + FreeDecoder.BLOCK_LENGTH;
        for (int i = 0; i < GROUPS_OF_FREE; i++)
        {
            at += GROUP_HEADER + int32(recorded, at + Short.BYTES) * stride(recorded, at);
        }
        return at <= decided.messageLength() && bytesEqual(0, at);
    }

    /** The repeating groups, and all that is behind them. */
    private boolean partsEqual(final int block, final Part[] parts)
    {
        int at = MessageHeaderDecoder.ENCODED_LENGTH + block;
        int otherAt = at;
        if (!bytesEqual(0, at))
        {
            return false;
        }
        for (final Part part : parts)
        {
            final int entry = stride(recorded, at);
            final int otherEntry = stride(decided, otherAt);
            final int count = int32(recorded, at + Short.BYTES);
            if (count != int32(decided, otherAt + Short.BYTES) || entry != otherEntry && part != Part.COUNT_ONLY)
            {
                return false;
            }
            at += GROUP_HEADER;
            otherAt += GROUP_HEADER;
            final int skipped = part == Part.ALL ? 0 : part == Part.ALL_BUT_THE_HASH ? Long.BYTES : entry;
            for (int i = 0; i < count && skipped < entry; i++)
            {
                if (!bytesEqual(at + i * entry + skipped, otherAt + i * entry + skipped, entry - skipped))
                {
                    return false;
                }
            }
            at += count * entry;
            otherAt += count * otherEntry;
        }
        final int rest = recorded.messageLength() - at;
        return rest == decided.messageLength() - otherAt && bytesEqual(at, otherAt, rest);
    }

    private static int stride(final GroupReader message, final int at)
    {
        return message.buffer().getShort(message.offset() + at, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    private static int int32(final GroupReader message, final int at)
    {
        return message.buffer().getInt(message.offset() + at, ByteOrder.LITTLE_ENDIAN);
    }

    private boolean bytesEqual(final int from, final int count)
    {
        return bytesEqual(from, from, count);
    }

    private boolean bytesEqual(final int from, final int otherFrom, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            if (recorded.buffer().getByte(recorded.offset() + from + i) !=
                decided.buffer().getByte(decided.offset() + otherFrom + i))
            {
                return false;
            }
        }
        return true;
    }
}
