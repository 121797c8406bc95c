// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import io.signalbox.InvariantViolation;
import org.agrona.ExpandableArrayBuffer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Stores of whole words into messages. */
final class WordBytes
{
    static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int COUNT_IN_PART = 2;

    private WordBytes()
    {
    }

    /** @param length a multiple of eight bytes, or up to seven bytes less than what is copied. */
    static void copy(final byte[] from, final int first, final byte[] to, final int at, final int length)
    {
        for (int i = 0; i < length; i += Long.BYTES)
        {
            LONGS.set(to, at + i, (long)LONGS.get(from, first + i));
        }
    }

    /** Writes the fields of {@code Schedule} and {@code Commit} that are not in a part. */
    static void putBlock(
        final byte[] bytes,
        final int at,
        final long step,
        final int epoch,
        final int rank,
        final int first,
        final int second)
    {
        LONGS.set(bytes, at, step);
        LONGS.set(bytes, at + Long.BYTES, epoch & 0xFFFF_FFFFL | (long)rank << Integer.SIZE);
        LONGS.set(bytes, at + 2 * Long.BYTES, first & 0xFFFF_FFFFL | (long)second << Integer.SIZE);
    }

    /** Writes the count of elements of a part. */
    static void putCount(final byte[] bytes, final int part, final int count)
    {
        INTS.set(bytes, part + COUNT_IN_PART, count);
    }

    static byte[] requireLength(final ExpandableArrayBuffer message, final int supposed, final int encoded)
    {
        if (encoded != supposed)
        {
            throw new InvariantViolation("an empty message has " + encoded + " bytes and not " + supposed);
        }
        return message.byteArray();
    }
}
