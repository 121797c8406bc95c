// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import io.signalbox.event.codec.ControlDecoder;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.event.codec.D2hCompleteDecoder;
import io.signalbox.event.codec.ForwardDecoder;
import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.event.codec.RouterVersionDecoder;
import io.signalbox.event.codec.RowForm;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.event.codec.WakeDecoder;
import io.signalbox.event.codec.WeightsWay;
import org.agrona.DirectBuffer;

import java.nio.ByteOrder;

/** Checks an encoded input before it is decoded. */
public final class EncodedInput
{
    private static final int FIRST_INPUT = SubmitDecoder.TEMPLATE_ID;
    private static final int LAST_INPUT = RouterVersionDecoder.TEMPLATE_ID;

    private EncodedInput()
    {
    }

    /**
     * Checks that the bytes begin with the header of an input, and that the input's block fits.
     *
     * @return the template id of the input.
     * @throws IllegalArgumentException if they do not; the message names the fault.
     */
    public static int check(final DirectBuffer input, final int offset, final int length)
    {
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
        final long header = input.getLong(offset, ByteOrder.LITTLE_ENDIAN);
        final int template = field(header, MessageHeaderDecoder.templateIdEncodingOffset());
        final int schema = field(header, MessageHeaderDecoder.schemaIdEncodingOffset());
        if (schema != SubmitDecoder.SCHEMA_ID || template < FIRST_INPUT || template > LAST_INPUT)
        {
            throw new IllegalArgumentException("template " + template + " of schema " + schema + " is no input; " +
                "inputs are " + FIRST_INPUT + " to " + LAST_INPUT + " of schema " + SubmitDecoder.SCHEMA_ID);
        }
        final int version = field(header, MessageHeaderDecoder.versionEncodingOffset());
        if (version != SubmitDecoder.SCHEMA_VERSION)
        {
            throw new IllegalArgumentException("an input has version " + version + " of its schema; encode it with the " +
                "codecs of this build, which have version " + SubmitDecoder.SCHEMA_VERSION);
        }
        final int block = field(header, MessageHeaderDecoder.blockLengthEncodingOffset());
        if (block > length - MessageHeaderDecoder.ENCODED_LENGTH)
        {
            throw new IllegalArgumentException("an input of " + length + " bytes is shorter than its header " +
                "and its block of " + block + " bytes");
        }
        return template;
    }

    /** Whether a checked input is a {@code D2hComplete} whose routed-expert rows travel outside the message. */
    public static boolean hasChunkedRows(final int template, final DirectBuffer input, final int offset)
    {
        final int block = offset + MessageHeaderDecoder.ENCODED_LENGTH;
        return template == D2hCompleteDecoder.TEMPLATE_ID &&
            input.getByte(block + D2hCompleteDecoder.rowFormEncodingOffset()) == RowForm.CHUNKED.value();
    }

    /** Whether a checked input is a {@code Control NEW_WEIGHTS}; false if its block is too short for its fields. */
    public static boolean isNewWeights(final int template, final DirectBuffer input, final int offset, final int length)
    {
        return template == ControlDecoder.TEMPLATE_ID &&
            length >= MessageHeaderDecoder.ENCODED_LENGTH + ControlDecoder.BLOCK_LENGTH &&
            input.getByte(offset + MessageHeaderDecoder.ENCODED_LENGTH + ControlDecoder.kindEncodingOffset()) ==
                ControlKind.NEW_WEIGHTS.value();
    }

    /** The way of a {@code Control NEW_WEIGHTS} for requests that have begun; null if it is no way. */
    public static WeightsWay wayOf(final DirectBuffer input, final int offset)
    {
        final byte way =
            input.getByte(offset + MessageHeaderDecoder.ENCODED_LENGTH + ControlDecoder.wayEncodingOffset());
        return way < WeightsWay.CONTINUE.value() || way > WeightsWay.DRAIN.value() ? null : WeightsWay.get(way);
    }

    /** Whether a checked input is a {@code Submit}. */
    public static boolean isSubmit(final int template)
    {
        return template == SubmitDecoder.TEMPLATE_ID;
    }

    /** Whether an input is a {@code Submit}, {@code Wake} or {@code Forward}: a client rarely waits for its group. */
    public static boolean precedesResult(final DirectBuffer input, final int offset)
    {
        final int template = field(
            input.getLong(offset, ByteOrder.LITTLE_ENDIAN), MessageHeaderDecoder.templateIdEncodingOffset());
        return template == SubmitDecoder.TEMPLATE_ID || template == WakeDecoder.TEMPLATE_ID ||
            template == ForwardDecoder.TEMPLATE_ID;
    }

    /** A field of the header, whose 8 bytes are read at once. */
    private static int field(final long header, final int fieldOffset)
    {
        return (int)(header >>> fieldOffset * Byte.SIZE) & 0xFFFF;
    }
}
