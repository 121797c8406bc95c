// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import io.signalbox.event.codec.GroupSizeEncodingDecoder;
import org.agrona.concurrent.UnsafeBuffer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Fields of messages in an array. The JVM checks each access against the array, which takes a few instructions; a buffer
 * takes some thirty for the same.
 */
final class ArrayBytes
{
    private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ORDER);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ORDER);
    private static final VarHandle SHORTS = MethodHandles.byteArrayViewVarHandle(short[].class, ORDER);

    private ArrayBytes()
    {
    }

    static long getLong(final byte[] bytes, final int index)
    {
        return (long)LONGS.get(bytes, index);
    }

    static int getInt(final byte[] bytes, final int index)
    {
        return (int)INTS.get(bytes, index);
    }

    static short getShort(final byte[] bytes, final int index)
    {
        return (short)SHORTS.get(bytes, index);
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
