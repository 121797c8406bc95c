// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import io.signalbox.event.codec.GroupSizeEncodingDecoder;

/** One repeating group of a message that is in an array; its elements can be read in any order. */
final class MessagePart
{
    static final int DIMENSION_BYTES = GroupSizeEncodingDecoder.ENCODED_LENGTH;
    private static final int MAX_COUNT = 16_777_216;
    static final int BLOCK_LENGTH = GroupSizeEncodingDecoder.blockLengthEncodingOffset();
    static final int COUNT = GroupSizeEncodingDecoder.numInGroupEncodingOffset();

    private final String message;
    private final int elementBytes;
    private int base;
    private int blockLength;
    private int count;

    /**
     * @param message      with its article, for what is thrown.
     * @param elementBytes bytes of an element, at least.
     */
    MessagePart(final String message, final int elementBytes)
    {
        this.message = message;
        this.elementBytes = elementBytes;
    }

    /**
     * Wraps the group that begins at {@code offset}.
     *
     * @param limit position behind the message.
     * @param shift from a position in the caller's buffer to the one in the array.
     * @return the position behind the group.
     * @throws MessageFormatException if the group leaves the message.
     */
    int wrap(final byte[] bytes, final int offset, final int limit, final int shift)
    {
        base = offset + DIMENSION_BYTES;
        if (base > limit)
        {
            throw new MessageFormatException(message + " ends at byte " + (limit - shift) +
                ", within the group that begins at byte " + (offset - shift));
        }
        blockLength = ArrayBytes.getShort(bytes, offset + BLOCK_LENGTH) & 0xFFFF;
        count = ArrayBytes.getInt(bytes, offset + COUNT);
        if (count == 0)
        {
            return base;
        }
        if (count < 0 || count > MAX_COUNT || (long)count * blockLength > limit - base || blockLength < elementBytes)
        {
            throw new MessageFormatException("a group of " + message + " at byte " + (offset - shift) + " has " + count +
                " entries of " + blockLength + " bytes, but the message ends at byte " + (limit - shift) +
                (blockLength < elementBytes ? ", and an entry has " + elementBytes + " bytes" : ""));
        }
        return base + count * blockLength;
    }

    /** The group has no element. */
    void empty()
    {
        count = 0;
    }

    /** Index of the first element in the array. */
    int base()
    {
        return base;
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

    /** Index of an element in the array. */
    int at(final int index)
    {
        if (index < 0 || index >= count)
        {
            throw new IndexOutOfBoundsException("index " + index + " of " + count + " in a group of " + message);
        }
        return base + index * blockLength;
    }
}
