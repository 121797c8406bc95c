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
        long first = place(row);
        long second = 0;
        long third = 0;
        long fourth = 0;
        final int end = start + length;
        int at = start;
        // Twice a group of words, because the loop itself takes as many instructions as three words.
        for (; at <= end - 2 * WORDS_BYTES; at += 2 * WORDS_BYTES)
        {
            first = step(step(first, word(source, at)), word(source, at + WORDS_BYTES));
            second = step(step(second, word(source, at + 8)), word(source, at + WORDS_BYTES + 8));
            third = step(step(third, word(source, at + 16)), word(source, at + WORDS_BYTES + 16));
            fourth = step(step(fourth, word(source, at + 24)), word(source, at + WORDS_BYTES + 24));
        }
        if (at <= end - WORDS_BYTES)
        {
            first = step(first, word(source, at));
            second = step(second, word(source, at + 8));
            third = step(third, word(source, at + 16));
            fourth = step(fourth, word(source, at + 24));
            at += WORDS_BYTES;
        }
        first = tail(first, source, at, end);
        return join(first, second, third, fourth);
    }

    /** How the digest of a row begins. Spread out, or else the first ids could undo it: row 0 of expert 0 as row 1 of 3. */
    static long place(final int row)
    {
        return (row + 1) * 0x9E3779B97F4A7C15L;
    }

    /** The digest of a row of one word at a place. */
    static long ofWord(final long place, final long word)
    {
        return StateDigest.mix(step(place, word));
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
            sum += ofWord(place(firstRow + i), word(source, start + i * Long.BYTES));
        }
        return sum;
    }

    private static long word(final byte[] source, final int at)
    {
        return (long)LONGS.get(source, at);
    }

    private static long tail(final long lane, final byte[] source, final int start, final int end)
    {
        long first = lane;
        int i = start;
        // At most three words, so not a loop, which the compiler would unroll at a price.
        if (i <= end - Long.BYTES)
        {
            first = step(first, word(source, i));
            i += Long.BYTES;
        }
        if (i <= end - Long.BYTES)
        {
            first = step(first, word(source, i));
            i += Long.BYTES;
        }
        if (i <= end - Long.BYTES)
        {
            first = step(first, word(source, i));
            i += Long.BYTES;
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
