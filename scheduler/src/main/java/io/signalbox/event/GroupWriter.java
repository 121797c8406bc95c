// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import io.signalbox.InvariantViolation;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Collects one group: an input and its outputs, each message preceded by its length.
 *
 * <pre>
 *   +--------+----------------+--------+-----------------+ ...
 *   | u32    | input message  | u32    | output message  |
 *   | length | header + body  | length | header + body   |
 *   +--------+----------------+--------+-----------------+ ...
 * </pre>
 *
 * The buffer grows to the largest group it has held and is then reused without allocation.
 */
public final class GroupWriter
{
    public static final int LENGTH_BYTES = Integer.BYTES;
    /** The largest group. A larger one stops the engine, because the journal guarantees the bound. */
    public static final int MAX_GROUP_BYTES = 64 * 1024 * 1024;

    private final ExpandableArrayBuffer buffer;
    private int length;

    public GroupWriter(final int initialCapacityBytes)
    {
        buffer = new ExpandableArrayBuffer(initialCapacityBytes);
    }

    public MutableDirectBuffer buffer()
    {
        return buffer;
    }

    /**
     * The bytes of the group, for stores that need no check each.
     *
     * @param end of what is written there; the array is at least so long, and another one once the group has grown.
     */
    public byte[] bytes(final int end)
    {
        buffer.checkLimit(end);
        return buffer.byteArray();
    }

    /** Bytes written so far. */
    public int length()
    {
        return length;
    }

    public void reset()
    {
        length = 0;
    }

    /** Offset at which to encode the next message, header included; {@link #end} closes the message. */
    public int begin()
    {
        return length + LENGTH_BYTES;
    }

    /** Closes the message that was encoded at {@link #begin()}; its length includes the SBE header. */
    public void end(final int messageLength)
    {
        // The message behind it has made room.
        ArrayBytes.putInt(buffer.byteArray(), length, messageLength);
        length += LENGTH_BYTES + messageLength;
        if (length > MAX_GROUP_BYTES)
        {
            throw new InvariantViolation("a group of " + length + " bytes is above the bound of " + MAX_GROUP_BYTES);
        }
    }

    /** Appends a message that is already encoded. */
    public void append(final DirectBuffer message, final int offset, final int messageLength)
    {
        final byte[] source = message.byteArray();
        if (source == null)
        {
            buffer.putBytes(begin(), message, offset, messageLength);
        }
        else
        {
            message.boundsCheck(offset, messageLength);
            final int at = begin();
            System.arraycopy(source, message.wrapAdjustment() + offset, bytes(at + messageLength), at, messageLength);
        }
        end(messageLength);
    }
}
