// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import io.signalbox.event.codec.GroupSizeEncodingDecoder;
import org.agrona.DirectBuffer;

import java.nio.ByteOrder;

/** One repeating group of a message; its elements can be read in any order. */
final class MessagePart
{
    static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;
    private static final int MAX_COUNT = 16_777_216;
    private static final int BLOCK_LENGTH_SHIFT = Byte.SIZE * GroupSizeEncodingDecoder.blockLengthEncodingOffset();
    private static final int COUNT_SHIFT = Byte.SIZE * GroupSizeEncodingDecoder.numInGroupEncodingOffset();

    private final String message;
    private int base;
    private int blockLength;
    private int count;
    private int firstByte;
    private byte[] copy = new byte[0];

    /** @param message with its article, for what is thrown. */
    MessagePart(final String message)
    {
        this.message = message;
    }

    /**
     * Wraps the group that begins at {@code offset}.
     *
     * @param limit position behind the message.
     * @return the position behind the group.
     * @throws MessageFormatException if the group leaves the message.
     */
    int wrap(final DirectBuffer buffer, final int offset, final int limit)
    {
        base = offset + GroupSizeEncodingDecoder.ENCODED_LENGTH;
        if (base > limit)
        {
            throw new MessageFormatException(
                message + " ends at byte " + limit + ", within the group that begins at byte " + offset);
        }
        if (limit - offset >= Long.BYTES)
        {
            // Both fields at once: most parts are empty, and their dimensions are all that is read of them.
            final long dimensions = buffer.getLong(offset, ORDER);
            blockLength = (int)(dimensions >>> BLOCK_LENGTH_SHIFT) & 0xFFFF;
            count = (int)(dimensions >>> COUNT_SHIFT);
        }
        else
        {
            blockLength = buffer.getShort(
                offset + GroupSizeEncodingDecoder.blockLengthEncodingOffset(), ORDER) & 0xFFFF;
            count = buffer.getInt(offset + GroupSizeEncodingDecoder.numInGroupEncodingOffset(), ORDER);
        }
        if (count < 0 || count > MAX_COUNT || (long)count * blockLength > limit - base)
        {
            throw new MessageFormatException("a group of " + message + " at byte " + offset + " has " + count +
                " entries of " + blockLength + " bytes, but the message ends at byte " + limit);
        }
        return base + count * blockLength;
    }

    /** The group has no element. */
    void empty()
    {
        count = 0;
    }

    /** Position of the first element. */
    int base()
    {
        return base;
    }

    /**
     * The bytes of the elements, from {@link #firstByte} on: those of the buffer if it has an array, else a copy. For loops
     * over all elements, which then need no check of the buffer each.
     */
    byte[] bytes(final DirectBuffer buffer)
    {
        final byte[] array = buffer.byteArray();
        if (array != null)
        {
            firstByte = base + buffer.wrapAdjustment();
            return array;
        }
        final int length = count * blockLength;
        copy = copy.length < length ? new byte[2 * length] : copy;
        buffer.getBytes(base, copy, 0, length);
        firstByte = 0;
        return copy;
    }

    /** Index of the first element in what {@link #bytes} returned last. */
    int firstByte()
    {
        return firstByte;
    }

    /** Bytes per element. */
    int stride()
    {
        return blockLength;
    }

    int count()
    {
        return count;
    }

    /** Position of an element. */
    int at(final int index)
    {
        if (index < 0 || index >= count)
        {
            throw new IndexOutOfBoundsException("index " + index + " of " + count + " in a group of " + message);
        }
        return base + index * blockLength;
    }
}
