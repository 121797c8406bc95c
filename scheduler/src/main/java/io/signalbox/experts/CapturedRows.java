// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import org.agrona.DirectBuffer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;

/**
 * The routed-expert rows that a store reads: {@code rowCount} rows as {@code [row][MoE layer][k]} expert ids of one
 * type. A view over a buffer of the caller, to be wrapped again for the next step. It keeps a view of the buffer's
 * memory, so that wrapping the same buffer makes no garbage: with two buffers by turns, use one of these for each.
 */
public final class CapturedRows
{
    private DirectBuffer buffer;
    private int offset;
    private int rowCount;
    private ExpertIdType type;
    /** The memory behind the buffer as 16-bit values, made anew only when the buffer has moved to other memory. */
    private CharBuffer shorts;
    private byte[] shortsOfArray;
    private ByteBuffer shortsOfBuffer;

    public CapturedRows wrap(final DirectBuffer source, final int start, final int rows, final ExpertIdType idType)
    {
        buffer = source;
        offset = start;
        rowCount = rows;
        type = idType;
        return this;
    }

    public DirectBuffer buffer()
    {
        return buffer;
    }

    /** Where the first row begins in the buffer, in bytes. */
    public int offset()
    {
        return offset;
    }

    public int rowCount()
    {
        return rowCount;
    }

    public ExpertIdType type()
    {
        return type;
    }

    /** All memory behind the buffer as 16-bit values, standing at the rows; null where they do not lie on such values. */
    CharBuffer shorts()
    {
        final byte[] array = buffer.byteArray();
        final ByteBuffer byteBuffer = buffer.byteBuffer();
        final int start = array == null && byteBuffer == null ? 1 : buffer.wrapAdjustment() + offset;
        if (start % Short.BYTES != 0)
        {
            return null;
        }
        if (shorts == null || array != shortsOfArray || byteBuffer != shortsOfBuffer)
        {
            final ByteBuffer memory = array == null ? byteBuffer.duplicate() : ByteBuffer.wrap(array);
            shorts = memory.clear().order(ByteOrder.LITTLE_ENDIAN).asCharBuffer();
            shortsOfArray = array;
            shortsOfBuffer = byteBuffer;
        }
        return shorts.clear().position(start / Short.BYTES);
    }
}
