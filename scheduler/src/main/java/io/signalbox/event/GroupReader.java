// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import io.signalbox.event.codec.MessageHeaderDecoder;
import org.agrona.DirectBuffer;

import java.nio.ByteOrder;

/** Iterates over the messages of one group. A message length that leaves the group is an exception. */
public final class GroupReader
{
    private DirectBuffer buffer;
    private int end;
    private int next;
    private int offset;
    private int messageLength;

    public GroupReader wrap(final DirectBuffer group, final int groupOffset, final int groupLength)
    {
        buffer = group;
        next = groupOffset;
        end = groupOffset + groupLength;
        messageLength = 0;
        return this;
    }

    /**
     * Logical time of a group's input, in nanoseconds: the first field of every input.
     *
     * @throws IllegalArgumentException if the group is too short for one.
     */
    public static long inputTimeNanos(final DirectBuffer group, final int groupOffset, final int groupLength)
    {
        final int time = GroupWriter.LENGTH_BYTES + MessageHeaderDecoder.ENCODED_LENGTH;
        if (groupLength < time + Long.BYTES)
        {
            throw new IllegalArgumentException("a group of " + groupLength + " bytes has no input with a time");
        }
        return group.getLong(groupOffset + time, ByteOrder.LITTLE_ENDIAN);
    }

    /** Whether a group has a message with this template id. */
    public static boolean has(final int template, final DirectBuffer group, final int groupOffset, final int groupLength)
    {
        final GroupReader messages = new GroupReader().wrap(group, groupOffset, groupLength);
        boolean found = false;
        while (!found && messages.next())
        {
            found = messages.template() == template;
        }
        return found;
    }

    /** Moves to the next message; false after the last. */
    public boolean next()
    {
        if (next == end)
        {
            return false;
        }
        final int bodyStart = next + GroupWriter.LENGTH_BYTES;
        final int length = bodyStart <= end ? buffer.getInt(next) : -1;
        if (length < MessageHeaderDecoder.ENCODED_LENGTH || length > end - bodyStart)
        {
            throw leaving(length, next);
        }
        offset = bodyStart;
        messageLength = length;
        next = bodyStart + length;
        return true;
    }

    static IllegalArgumentException leaving(final int length, final int at)
    {
        return new IllegalArgumentException("message length " + length + " at byte " + at + " leaves its group");
    }

    public DirectBuffer buffer()
    {
        return buffer;
    }

    /** Position of the current message's SBE header. */
    public int offset()
    {
        return offset;
    }

    /**
     * The template id of the current message, for code that compares or moves messages as bytes; to read them, extend {@link
     * EventReader}.
     */
    public int template()
    {
        return templateAt(buffer, offset);
    }

    /** The template id of the message at an offset, as {@link #template}. */
    public static int templateAt(final DirectBuffer group, final int messageOffset)
    {
        return group.getShort(messageOffset + MessageHeaderDecoder.templateIdEncodingOffset(), ByteOrder.LITTLE_ENDIAN);
    }

    /** Length of the current message with its SBE header. */
    public int messageLength()
    {
        return messageLength;
    }
}
