// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import io.signalbox.event.codec.BackendFaultDecoder;
import io.signalbox.event.codec.CaptureRowsDecoder;
import io.signalbox.event.codec.ControlDecoder;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.NewWeightsDecoder;
import io.signalbox.event.codec.PlacedDecoder;
import io.signalbox.event.codec.RequeuedDecoder;
import io.signalbox.event.codec.RunDescriptionDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.event.codec.VoidDecoder;
import io.signalbox.event.codec.WithdrawnDecoder;
import org.agrona.DirectBuffer;

import java.nio.ByteOrder;

/**
 * The end of a message that a generated decoder reads, behind its fixed fields: repeating groups, or fields of variable
 * length. These decoders believe each count and length: a forged one would let a reader walk or allocate without end.
 */
final class MessageTail
{
    private static final int LENGTH_BYTES = Integer.BYTES;
    /** Fields of variable length in a {@code Submit}. */
    private static final int SUBMIT_FIELDS = 5;

    private MessageTail()
    {
    }

    /**
     * Checks that it does not leave the message.
     *
     * @param offset position behind the fixed fields.
     * @param end    position behind the message.
     * @throws MessageFormatException if it does.
     */
    static void check(final int template, final DirectBuffer buffer, final int offset, final int end)
    {
        switch (template)
        {
            case PlacedDecoder.TEMPLATE_ID, RequeuedDecoder.TEMPLATE_ID -> checkGroups(buffer, offset, end);
            case FreeDecoder.TEMPLATE_ID ->
                checkData(buffer, behindGroup(buffer, behindGroup(buffer, offset, end), end), end, 1);
            case SubmitDecoder.TEMPLATE_ID -> checkData(buffer, offset, end, SUBMIT_FIELDS);
            case ControlDecoder.TEMPLATE_ID, BackendFaultDecoder.TEMPLATE_ID, WithdrawnDecoder.TEMPLATE_ID,
                NewWeightsDecoder.TEMPLATE_ID, CaptureRowsDecoder.TEMPLATE_ID, VoidDecoder.TEMPLATE_ID ->
                checkData(buffer, offset, end, 1);
            case RunDescriptionDecoder.TEMPLATE_ID -> checkTexts(buffer, offset, end);
            default ->
            {
                // It has fixed fields only, or a view locates its groups.
            }
        }
    }

    /** At least one group, up to the end. */
    private static void checkGroups(final DirectBuffer buffer, final int offset, final int end)
    {
        int at = offset;
        do
        {
            at = behindGroup(buffer, at, end);
        }
        while (at < end);
    }

    private static int behindGroup(final DirectBuffer buffer, final int at, final int end)
    {
        final int entries = at + MessagePart.DIMENSION_BYTES;
        if (entries > end)
        {
            throw new MessageFormatException(
                "a message ends at byte " + end + ", within the group that begins at byte " + at);
        }
        final int blockLength = buffer.getShort(at + MessagePart.BLOCK_LENGTH, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
        final int count = buffer.getInt(at + MessagePart.COUNT, ByteOrder.LITTLE_ENDIAN);
        if (count < 0 || (long)count * Math.max(1, blockLength) > end - entries)
        {
            throw new MessageFormatException("a group of a message at byte " + at + " has " + count + " entries of " +
                blockLength + " bytes, but the message ends at byte " + end);
        }
        return entries + count * blockLength;
    }

    /** Fields of variable length, up to the end; at least {@code least}. */
    private static void checkData(final DirectBuffer buffer, final int offset, final int end, final int least)
    {
        int at = offset;
        for (int fields = 0; fields < least || at != end; fields++)
        {
            at = behindData(buffer, at, end);
        }
    }

    private static int behindData(final DirectBuffer buffer, final int at, final int end)
    {
        final int length = at + LENGTH_BYTES <= end ? buffer.getInt(at, ByteOrder.LITTLE_ENDIAN) : -1;
        if (length < 0 || length > end - at - LENGTH_BYTES)
        {
            throw new MessageFormatException("a field of a message at byte " + at + " has " + length +
                " bytes, but the message ends at byte " + end);
        }
        return at + LENGTH_BYTES + length;
    }

    /** A group whose entries have a name and a value of variable length. */
    private static void checkTexts(final DirectBuffer buffer, final int offset, final int end)
    {
        int at = offset + MessagePart.DIMENSION_BYTES;
        if (at > end)
        {
            throw new MessageFormatException(
                "a message ends at byte " + end + ", within the group that begins at byte " + offset);
        }
        final int blockLength = buffer.getShort(offset + MessagePart.BLOCK_LENGTH, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
        final int count = buffer.getInt(offset + MessagePart.COUNT, ByteOrder.LITTLE_ENDIAN);
        if (count < 0)
        {
            throw new MessageFormatException("a group of a message at byte " + offset + " has " + count + " entries");
        }
        for (int entry = 0; entry < count; entry++)
        {
            at = behindData(buffer, behindData(buffer, at + blockLength, end), end);
        }
    }
}
