// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import io.signalbox.event.codec.MessageHeaderDecoder;
import org.agrona.DirectBuffer;

/** Walks the messages of one group. A length that leaves the group ends the walk with an exception. */
public final class GroupReader
{
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
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
            throw new IllegalArgumentException("message length " + length + " at byte " + next + " leaves its group");
        }
        offset = bodyStart;
        messageLength = length;
        next = bodyStart + length;
        header.wrap(buffer, offset);
        return true;
    }

    public DirectBuffer buffer()
    {
        return buffer;
    }

    public MessageHeaderDecoder header()
    {
        return header;
    }

    public int templateId()
    {
        return header.templateId();
    }

    /** Where the SBE header of the current message starts. */
    public int offset()
    {
        return offset;
    }

    /** Length of the current message with its SBE header. */
    public int messageLength()
    {
        return messageLength;
    }
}
