// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import io.signalbox.event.codec.GroupSizeEncodingDecoder;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteOrder;

/**
 * Fields of messages in an array, checked against its length. A buffer checks the same in some thirty instructions, and a
 * {@code VarHandle} is slow until C2 has compiled the loop around it, which is most of a short program.
 */
final class ArrayBytes
{
    private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;
    private static final boolean IS_NATIVE = ByteOrder.nativeOrder() == ORDER;

    private ArrayBytes()
    {
    }

    static long getLong(final byte[] bytes, final int index)
    {
        check(bytes, index, Long.BYTES);
        final long value = UnsafeApi.getLong(bytes, BufferUtil.ARRAY_BASE_OFFSET + index);
        return IS_NATIVE ? value : Long.reverseBytes(value);
    }

    static int getInt(final byte[] bytes, final int index)
    {
        check(bytes, index, Integer.BYTES);
        final int value = UnsafeApi.getInt(bytes, BufferUtil.ARRAY_BASE_OFFSET + index);
        return IS_NATIVE ? value : Integer.reverseBytes(value);
    }

    static short getShort(final byte[] bytes, final int index)
    {
        check(bytes, index, Short.BYTES);
        final short value = UnsafeApi.getShort(bytes, BufferUtil.ARRAY_BASE_OFFSET + index);
        return IS_NATIVE ? value : Short.reverseBytes(value);
    }

    static void putInt(final byte[] bytes, final int index, final int value)
    {
        check(bytes, index, Integer.BYTES);
        UnsafeApi.putInt(bytes, BufferUtil.ARRAY_BASE_OFFSET + index, IS_NATIVE ? value : Integer.reverseBytes(value));
    }

    private static void check(final byte[] bytes, final int index, final int length)
    {
        if (index < 0 || index > bytes.length - length)
        {
            throw new IndexOutOfBoundsException(
                length + " bytes at index " + index + " leave an array of " + bytes.length + " bytes");
        }
    }

    /**
     * The first bytes of groups without elements that follow one another, and of what is behind them, which is zero.
     *
     * @param elementBytes of each group.
     */
    static long[] emptyParts(final int words, final int... elementBytes)
    {
        final UnsafeBuffer bytes = new UnsafeBuffer(new byte[words * Long.BYTES]);
        for (int part = 0; part < elementBytes.length; part++)
        {
            bytes.putShort(part * MessagePart.DIMENSION_BYTES + GroupSizeEncodingDecoder.blockLengthEncodingOffset(),
                (short)elementBytes[part], ORDER);
        }
        final long[] longs = new long[words];
        for (int word = 0; word < words; word++)
        {
            longs[word] = bytes.getLong(word * Long.BYTES, ORDER);
        }
        return longs;
    }
}
