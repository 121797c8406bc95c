// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.event.codec.BackendResetDecoder;
import io.signalbox.event.codec.D2hCompleteDecoder;
import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.event.codec.RowForm;
import io.signalbox.event.codec.SubmitDecoder;
import org.agrona.DirectBuffer;

import java.nio.ByteOrder;

/** What every engine asks of an input before it takes it: a publisher's mistake is the publisher's, not the engine's. */
final class InputBounds
{
    private static final int FIRST_INPUT = SubmitDecoder.TEMPLATE_ID;
    private static final int LAST_INPUT = BackendResetDecoder.TEMPLATE_ID;

    private InputBounds()
    {
    }

    /** @throws IllegalArgumentException when the scheduler or the journal could make nothing of the input. */
    static void check(final DirectBuffer input, final int offset, final int length, final CaptureSlice rows)
    {
        if (input == null)
        {
            throw new IllegalArgumentException("the input is null; give the buffer of an encoded input");
        }
        if (length > Engine.MAX_INPUT_BYTES)
        {
            throw new IllegalArgumentException(
                "an input of " + length + " bytes is above the bound of " + Engine.MAX_INPUT_BYTES + " bytes");
        }
        if (length < MessageHeaderDecoder.ENCODED_LENGTH)
        {
            throw new IllegalArgumentException("an input of " + length + " bytes is shorter than its header of " +
                MessageHeaderDecoder.ENCODED_LENGTH + " bytes");
        }
        if (offset < 0 || offset > input.capacity() - length)
        {
            throw new IllegalArgumentException("an input of " + length + " bytes at byte " + offset +
                " leaves its buffer of " + input.capacity() + " bytes");
        }
        checkHeader(input, offset, length);
        checkRows(input, offset, rows);
    }

    private static int field(final DirectBuffer input, final int at)
    {
        return input.getShort(at, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    private static int template(final DirectBuffer input, final int offset)
    {
        return field(input, offset + MessageHeaderDecoder.templateIdEncodingOffset());
    }

    private static void checkHeader(final DirectBuffer input, final int offset, final int length)
    {
        final int template = template(input, offset);
        final int schema = field(input, offset + MessageHeaderDecoder.schemaIdEncodingOffset());
        if (schema != SubmitDecoder.SCHEMA_ID || template < FIRST_INPUT || template > LAST_INPUT)
        {
            throw new IllegalArgumentException("template " + template + " of schema " + schema + " is no input; " +
                "inputs are " +
                FIRST_INPUT + " to " + LAST_INPUT + " of schema " + SubmitDecoder.SCHEMA_ID);
        }
        final int block = field(input, offset + MessageHeaderDecoder.blockLengthEncodingOffset());
        if (block > length - MessageHeaderDecoder.ENCODED_LENGTH)
        {
            throw new IllegalArgumentException("an input of " + length + " bytes is shorter than its header " +
                "and its block of " +
                block + " bytes");
        }
    }

    private static void checkRows(final DirectBuffer input, final int offset, final CaptureSlice rows)
    {
        final int block = offset + MessageHeaderDecoder.ENCODED_LENGTH;
        final boolean chunked = template(input, offset) == D2hCompleteDecoder.TEMPLATE_ID &&
            input.getByte(block + D2hCompleteDecoder.rowFormEncodingOffset()) == RowForm.CHUNKED.value();
        if (chunked != (rows != null))
        {
            throw new IllegalArgumentException(chunked ?
                "a D2hComplete whose form is CHUNKED came without its routed-expert rows" :
                "routed-expert rows came with an input that is no D2hComplete whose form is CHUNKED");
        }
    }
}
