// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import org.agrona.DirectBuffer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.Arrays;

/**
 * Finds rows in storage width that no expert router can have chosen: an id is no expert, or occurs twice in a layer. A row
 * with all bits set is <em>marked</em> as missing; no sound row has all bits set. Not thread-safe.
 */
public final class RowCheck
{
    private static final long EVERY_BYTE = 0x0101_0101_0101_0101L;
    private static final long BYTE_SIGNS = 0x8080_8080_8080_8080L;
    private static final int WORDS = 512;

    private final ModelShape shape;
    private final int rowBytes;
    /** Each layer of a row is one word of eight ids. */
    private final boolean layersAreWords;
    /** Per expert the last layer, of any row, that named it; unless layers are checked as words. */
    private int[] lastNamedIn = new int[0];
    private int layersSeen;

    private final ByteBuffer copy;
    private final LongBuffer copiedWords;
    private final long[] words;
    private final long[] flags;

    public RowCheck(final ModelShape shape)
    {
        this.shape = shape;
        rowBytes = shape.rowBytes();
        layersAreWords = shape.idBytes() == Byte.BYTES && shape.topK() == Long.BYTES;
        words = new long[layersAreWords ? WORDS : 0];
        flags = new long[words.length];
        copy = ByteBuffer.allocate(words.length * Long.BYTES);
        copiedWords = copy.order(ByteOrder.LITTLE_ENDIAN).asLongBuffer();
    }

    /**
     * The first row that is not sound, or {@code count}.
     *
     * @param offset of row 0.
     * @param first  the row to begin with.
     */
    public int firstUnsound(final DirectBuffer rows, final int offset, final int first, final int count)
    {
        if (layersAreWords && areSoundWords(rows, offset + first * rowBytes, offset + count * rowBytes))
        {
            return count;
        }
        int row = first;
        while (row < count && isSound(rows, offset + row * rowBytes))
        {
            row++;
        }
        return row;
    }

    /** Whether rows are sound that the same memory holds as words: without the copy that other rows need. */
    boolean areSound(final LongBuffer memory, final DirectBuffer rows, final int start, final int end)
    {
        if (!layersAreWords)
        {
            return firstUnsound(rows, start, 0, (end - start) / rowBytes) == (end - start) / rowBytes;
        }
        Arrays.fill(flags, 0);
        memory.clear().position(start / Long.BYTES);
        for (int left = (end - start) / Long.BYTES; left > 0; left -= WORDS)
        {
            flag(memory, Math.min(left, WORDS));
        }
        return isNoneFlagged();
    }

    private boolean areSoundWords(final DirectBuffer rows, final int start, final int end)
    {
        Arrays.fill(flags, 0);
        for (int from = start; from < end; from += copy.capacity())
        {
            final int length = Math.min(copy.capacity(), end - from);
            rows.getBytes(from, copy.array(), 0, length);
            flag(copiedWords.clear(), length / Long.BYTES);
        }
        return isNoneFlagged();
    }

    private void flag(final LongBuffer source, final int count)
    {
        source.get(words, 0, count);
        flagRepeated(words, flags, count);
        final int max = shape.experts() - 1;
        if (shape.experts() < ModelShape.MAX_EXPERTS_PER_BYTE)
        {
            final long excess = EVERY_BYTE * (Byte.MAX_VALUE - (max & Byte.MAX_VALUE));
            flagTooLarge(words, flags, count, excess, max > Byte.MAX_VALUE ? 0 : -1);
        }
    }

    /** From array to array without a sum: the compilers of Java 17 and 25 turn such a loop into vector instructions. */
    private static void flagRepeated(final long[] words, final long[] flags, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            final long ids = words[i];
            // Rotated by one to four bytes, each id meets each other one; if two are equal, a byte is zero.
            flags[i] |= zeroBytes(ids ^ (ids << 8 | ids >>> 56)) | zeroBytes(ids ^ (ids << 16 | ids >>> 48)) |
                zeroBytes(ids ^ (ids << 24 | ids >>> 40)) | zeroBytes(ids ^ (ids << 32 | ids >>> 32));
        }
    }

    /**
     * @param excess   added to the lower seven bits of an id, sets the top bit of one whose lower bits are too large.
     * @param signsAre all bits if an id with its top bit set is too large, else 0.
     */
    private static void flagTooLarge(
        final long[] words, final long[] flags, final int count, final long excess, final long signsAre)
    {
        for (int i = 0; i < count; i++)
        {
            final long ids = words[i];
            final long lowerBits = (ids & ~BYTE_SIGNS) + excess;
            flags[i] |= ids & lowerBits | (ids | lowerBits) & signsAre;
        }
    }

    /** Has a sign bit in some byte exactly if some byte of the word is zero. */
    private static long zeroBytes(final long word)
    {
        return word - EVERY_BYTE & ~word;
    }

    private boolean isNoneFlagged()
    {
        long any = 0;
        for (final long flag : flags)
        {
            any |= flag;
        }
        return (any & BYTE_SIGNS) == 0;
    }

    private boolean isSound(final DirectBuffer rows, final int start)
    {
        if (lastNamedIn.length == 0)
        {
            lastNamedIn = new int[shape.experts()];
        }
        if (layersSeen > Integer.MAX_VALUE - shape.moeLayers())
        {
            Arrays.fill(lastNamedIn, 0);
            layersSeen = 0;
        }
        int at = start;
        for (int layer = 0; layer < shape.moeLayers(); layer++)
        {
            layersSeen++;
            for (int k = 0; k < shape.topK(); k++)
            {
                final int id = id(rows, at);
                if (id < 0 || id >= shape.experts() || lastNamedIn[id] == layersSeen)
                {
                    return false;
                }
                lastNamedIn[id] = layersSeen;
                at += shape.idBytes();
            }
        }
        return true;
    }

    private int id(final DirectBuffer rows, final int at)
    {
        return switch (shape.idBytes())
        {
            case Byte.BYTES -> rows.getByte(at) & 0xFF;
            case Short.BYTES -> rows.getShort(at, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
            default -> rows.getInt(at, ByteOrder.LITTLE_ENDIAN);
        };
    }

    /** Whether the row is marked as missing; looks at as many ids as no sound row has alike. */
    public static boolean isMarked(final ModelShape shape, final DirectBuffer rows, final int start)
    {
        final boolean everyIdIsAnExpert = shape.experts() == ModelShape.MAX_EXPERTS_PER_BYTE ||
            shape.experts() == ModelShape.MAX_EXPERTS_PER_SHORT;
        if (shape.topK() == 1 && everyIdIsAnExpert)
        {
            return false;
        }
        final int bytes = Math.min(2, shape.topK()) * shape.idBytes();
        int i = 0;
        while (i < bytes && rows.getByte(start + i) == -1)
        {
            i++;
        }
        return i == bytes;
    }
}
