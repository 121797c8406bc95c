// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import org.agrona.DirectBuffer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;

/**
 * The routed-expert rows that a store reads: {@code rowCount} rows as {@code [row][MoE layer][k]} expert ids of one
 * type. A view over a buffer of the caller, wrapped again for each step. It keeps a view of the buffer's memory, so that
 * wrapping the same buffer makes no garbage: use one instance per buffer.
 */
public final class CapturedRows
{
    private DirectBuffer buffer;
    private int offset;
    private int rowCount;
    private ExpertIdType type;
    /** The buffer's memory as 16-bit values, replaced only if the buffer has moved to other memory. */
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

    /** Start of the first row in the buffer, in bytes. */
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

    /** All of the buffer's memory as 16-bit values, positioned at the rows; null if their offset is odd. */
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
