// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;

/**
 * The digests of many rows of one word each at once, as {@link RowDigest} has them one by one: a prompt of a small model has
 * thousands, and nothing else of a step takes as long. Its loops go from array to array without a sum, which the compilers
 * of Java 17 and 25 turn into vector instructions. Not thread-safe.
 */
final class WordDigests
{
    /** With fewer rows the copies take longer than the digests. */
    static final int LEAST = 16;
    private static final int MOST = 512;

    /** Per row of a page, how its digest begins. */
    private final long[] places;
    private final long[] words = new long[MOST];
    private final long[] digests = new long[MOST];
    private final ByteBuffer copy = ByteBuffer.allocate(MOST * Long.BYTES);
    private final LongBuffer copiedWords = copy.order(ByteOrder.LITTLE_ENDIAN).asLongBuffer();

    WordDigests(final int pageRows)
    {
        places = new long[pageRows];
        for (int row = 0; row < pageRows; row++)
        {
            places[row] = RowDigest.place(row);
        }
    }

    /** The sum of the digests of consecutive rows of a page. */
    long sum(final int firstRow, final int rows, final byte[] source, final int start)
    {
        long sum = 0;
        for (int done = 0; done < rows; done += MOST)
        {
            final int count = Math.min(MOST, rows - done);
            System.arraycopy(source, start + done * Long.BYTES, copy.array(), 0, count * Long.BYTES);
            copiedWords.clear().get(words, 0, count);
            System.arraycopy(places, firstRow + done, digests, 0, count);
            digest(words, digests, count);
            for (int i = 0; i < count; i++)
            {
                sum += digests[i];
            }
        }
        return sum;
    }

    /** @param digests the places of the rows, and their digests afterwards. */
    private static void digest(final long[] words, final long[] digests, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            digests[i] = RowDigest.ofWord(digests[i], words[i]);
        }
    }
}
