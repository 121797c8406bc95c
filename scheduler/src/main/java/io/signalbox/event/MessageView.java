// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import org.agrona.DirectBuffer;

/** The place of one message in a group. Its fields are read from the array, without the checks of a buffer. */
abstract class MessageView
{
    DirectBuffer buffer;
    byte[] bytes;
    /** Index in the array of what is at 0 in the buffer. */
    int shift;
    /** Index of the fields behind the SBE header; the parts are behind {@code blockLength} bytes of fields. */
    int body;
    int blockLength;
    int version;
    /** Index behind the message. */
    int limit;

    /**
     * @param message    what it is, for an exception.
     * @param leastBlock bytes of its fields in this version of the schema.
     * @param source     has an array.
     * @param bodyOffset position behind the SBE header.
     * @param end        position behind the message.
     * @throws MessageFormatException if it has not all fields.
     */
    final void wrap(
        final String message,
        final int leastBlock,
        final DirectBuffer source,
        final int bodyOffset,
        final int block,
        final int schemaVersion,
        final int end)
    {
        if (end - bodyOffset < leastBlock)
        {
            throw MessageFormatException.withinFields(message, bodyOffset, end);
        }
        buffer = source;
        bytes = source.byteArray();
        shift = source.wrapAdjustment();
        body = bodyOffset + shift;
        blockLength = block;
        version = schemaVersion;
        limit = end + shift;
    }
}
