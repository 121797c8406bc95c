// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import io.signalbox.StateDigest;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The digest of one row in storage width, bound to the row's place in its page, so that rows one position off give
 * another digest. Four lanes, because one chain of multiplications over a long row would take longer than copying it.
 */
final class RowDigest
{
    private static final int WORDS_BYTES = 4 * Long.BYTES;
    private static final VarHandle LONGS =
        MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private RowDigest()
    {
    }

    static long of(final int row, final byte[] source, final int start, final int length)
    {
        // Spread out, or else the xor with the first ids could undo it: row 0 of expert 0 is not row 1 of expert 3.
        long first = (row + 1) * 0x9E3779B97F4A7C15L;
        long second = 0;
        long third = 0;
        long fourth = 0;
        int i = 0;
        for (; i <= length - WORDS_BYTES; i += WORDS_BYTES)
        {
            final int at = start + i;
            first = step(first, (long)LONGS.get(source, at));
            second = step(second, (long)LONGS.get(source, at + Long.BYTES));
            third = step(third, (long)LONGS.get(source, at + 2 * Long.BYTES));
            fourth = step(fourth, (long)LONGS.get(source, at + 3 * Long.BYTES));
        }
        first = tail(first, source, start + i, start + length);
        return join(first, second, third, fourth);
    }

    /** The sum of the digests of consecutive rows. */
    static long ofRows(final int firstRow, final int rows, final byte[] source, final int start, final int length)
    {
        if (length == Long.BYTES)
        {
            return ofWords(firstRow, rows, source, start);
        }
        if (rows == 1)
        {
            return of(firstRow, source, start, length);
        }
        long sum = 0;
        for (int i = 0; i < rows; i++)
        {
            sum += of(firstRow + i, source, start + i * length, length);
        }
        return sum;
    }

    /** Rows of one word each, as small models have them: a loop within each row would cost as much as its digest. */
    private static long ofWords(final int firstRow, final int rows, final byte[] source, final int start)
    {
        long sum = 0;
        for (int i = 0; i < rows; i++)
        {
            final long place = (firstRow + i + 1) * 0x9E3779B97F4A7C15L;
            sum += StateDigest.mix(step(place, (long)LONGS.get(source, start + i * Long.BYTES)));
        }
        return sum;
    }

    private static long tail(final long lane, final byte[] source, final int start, final int end)
    {
        long first = lane;
        int i = start;
        for (; i <= end - Long.BYTES; i += Long.BYTES)
        {
            first = step(first, (long)LONGS.get(source, i));
        }
        for (; i < end; i++)
        {
            first = step(first, source[i] & 0xFF);
        }
        return first;
    }

    private static long step(final long hash, final long value)
    {
        final long product = (hash ^ value) * 0x9E3779B97F4A7C15L;
        return product ^ (product >>> 32);
    }

    /** Each lane turned by another amount, so that values which change places between lanes do not cancel out. */
    private static long join(final long first, final long second, final long third, final long fourth)
    {
        return StateDigest.mix(
            first ^ Long.rotateLeft(second, 16) ^ Long.rotateLeft(third, 32) ^ Long.rotateLeft(fourth, 48));
    }
}
