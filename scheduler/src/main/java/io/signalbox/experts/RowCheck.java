// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import org.agrona.DirectBuffer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.Arrays;

/**
 * Finds rows in storage width that no expert router can have chosen: an id is no expert, or occurs twice in a layer, or a
 * combine weight is not finite. A row with all bits set is <em>marked</em> as missing; no sound row has all bits set. Not
 * thread-safe.
 */
public final class RowCheck
{
    private static final long EVERY_BYTE = 0x0101_0101_0101_0101L;
    private static final long BYTE_SIGNS = 0x8080_8080_8080_8080L;
    private static final long FIRST_OF_PAIR = 0x00FF_00FF_00FF_00FFL;
    private static final long FIRST_OF_FOUR = 0x0000_00FF_0000_00FFL;
    private static final long FIRST_HALF_OF_FOUR = 0x0000_FFFF_0000_FFFFL;
    private static final int WORDS = 512;
    /** Bits of a float32 that are all set exactly if it is infinite or no number. */
    private static final int EXPONENT = 0x7F80_0000;
    private static final int LOWEST_OF_EXPONENT = 0x0080_0000;

    private final ModelShape shape;
    private final int rowBytes;
    /** The layers of a row are words of eight ids, one, two, four or eight layers to a word. */
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
        layersAreWords = shape.idBytes() == Byte.BYTES && Long.BYTES % shape.topK() == 0 &&
            shape.idsBytes() % Long.BYTES == 0;
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
        if (shape.combineWeights())
        {
            return firstUnsoundWeighted(rows, offset, first, count);
        }
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

    /** Ids and combine weights take turns row by row, so that the words of several rows are not consecutive. */
    private int firstUnsoundWeighted(final DirectBuffer rows, final int offset, final int first, final int count)
    {
        final int idsBytes = shape.idsBytes();
        int row = first;
        while (row < count && hasSoundIds(rows, offset + row * rowBytes) &&
            areFinite(rows, offset + row * rowBytes + idsBytes, shape.rowIds()))
        {
            row++;
        }
        return row;
    }

    private boolean hasSoundIds(final DirectBuffer rows, final int start)
    {
        if (!layersAreWords)
        {
            return isSound(rows, start);
        }
        final int max = shape.experts() - 1;
        long unsound = 0;
        for (int at = start; at < start + shape.idsBytes(); at += Long.BYTES)
        {
            final long ids = rows.getLong(at, ByteOrder.LITTLE_ENDIAN);
            unsound |= switch (shape.topK())
            {
                case 1 -> 0;
                case 2 -> repeatedInPairs(ids);
                case 4 -> repeatedInFours(ids);
                default -> repeated(ids);
            };
            if (shape.experts() < ModelShape.MAX_EXPERTS_PER_BYTE)
            {
                unsound |= tooLarge(ids, excess(max), signsAre(max));
            }
        }
        return (unsound & BYTE_SIGNS) == 0;
    }

    /** Without a branch per weight: adding the lowest bit of a full exponent carries into the sign. */
    private static boolean areFinite(final DirectBuffer weights, final int start, final int count)
    {
        int carried = 0;
        for (int at = start; at < start + count * ModelShape.WEIGHT_BYTES; at += ModelShape.WEIGHT_BYTES)
        {
            carried |= (weights.getInt(at, ByteOrder.LITTLE_ENDIAN) & EXPONENT) + LOWEST_OF_EXPONENT;
        }
        return carried >= 0;
    }

    /** Whether rows are sound that the same memory holds as words: without the copy that other rows need. */
    boolean areSound(final LongBuffer memory, final DirectBuffer rows, final int start, final int end)
    {
        if (!layersAreWords)
        {
            return firstUnsound(rows, start, 0, (end - start) / rowBytes) == (end - start) / rowBytes;
        }
        final int used = Math.min((end - start) / Long.BYTES, WORDS);
        Arrays.fill(flags, 0, used, 0);
        memory.clear().position(start / Long.BYTES);
        for (int left = (end - start) / Long.BYTES; left > 0; left -= WORDS)
        {
            flag(memory, Math.min(left, WORDS));
        }
        return isNoneFlagged(used);
    }

    private boolean areSoundWords(final DirectBuffer rows, final int start, final int end)
    {
        final int used = Math.min((end - start) / Long.BYTES, WORDS);
        Arrays.fill(flags, 0, used, 0);
        for (int from = start; from < end; from += copy.capacity())
        {
            final int length = Math.min(copy.capacity(), end - from);
            rows.getBytes(from, copy.array(), 0, length);
            flag(copiedWords.clear(), length / Long.BYTES);
        }
        return isNoneFlagged(used);
    }

    private void flag(final LongBuffer source, final int count)
    {
        source.get(words, 0, count);
        switch (shape.topK())
        {
            case 1 ->
            {
            }
            case 2 -> flagRepeatedInPairs(words, flags, count);
            case 4 -> flagRepeatedInFours(words, flags, count);
            default -> flagRepeated(words, flags, count);
        }
        final int max = shape.experts() - 1;
        if (shape.experts() < ModelShape.MAX_EXPERTS_PER_BYTE)
        {
            flagTooLarge(words, flags, count, excess(max), signsAre(max));
        }
    }

    /** From array to array without a sum: the compilers of Java 17 and 25 turn such a loop into vector instructions. */
    private static void flagRepeated(final long[] words, final long[] flags, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            flags[i] |= repeated(words[i]);
        }
    }

    private static void flagRepeatedInFours(final long[] words, final long[] flags, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            flags[i] |= repeatedInFours(words[i]);
        }
    }

    private static void flagRepeatedInPairs(final long[] words, final long[] flags, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            flags[i] |= repeatedInPairs(words[i]);
        }
    }

    /** Rotated by one to four bytes, each id meets each other one; if two are equal, a byte is zero. */
    private static long repeated(final long ids)
    {
        return zeroBytes(ids ^ (ids << 8 | ids >>> 56)) | zeroBytes(ids ^ (ids << 16 | ids >>> 48)) |
            zeroBytes(ids ^ (ids << 24 | ids >>> 40)) | zeroBytes(ids ^ (ids << 32 | ids >>> 32));
    }

    /** The same for two layers of four ids: each half is rotated by one and by two bytes. */
    private static long repeatedInFours(final long ids)
    {
        return zeroBytes(ids ^ (ids << 8 & ~FIRST_OF_FOUR | ids >>> 24 & FIRST_OF_FOUR)) |
            zeroBytes(ids ^ (ids << 16 & ~FIRST_HALF_OF_FOUR | ids >>> 16 & FIRST_HALF_OF_FOUR));
    }

    /** The same for four layers of two ids, which change places. */
    private static long repeatedInPairs(final long ids)
    {
        return zeroBytes(ids ^ (ids << 8 & ~FIRST_OF_PAIR | ids >>> 8 & FIRST_OF_PAIR));
    }

    /** Added to the lower seven bits of an id, sets the top bit of one whose lower bits are too large. */
    private static long excess(final int max)
    {
        return EVERY_BYTE * (Byte.MAX_VALUE - (max & Byte.MAX_VALUE));
    }

    /** All bits if an id with its top bit set is too large, else 0. */
    private static long signsAre(final int max)
    {
        return max > Byte.MAX_VALUE ? 0 : -1;
    }

    private static void flagTooLarge(
        final long[] words, final long[] flags, final int count, final long excess, final long signsAre)
    {
        for (int i = 0; i < count; i++)
        {
            flags[i] |= tooLarge(words[i], excess, signsAre);
        }
    }

    private static long tooLarge(final long ids, final long excess, final long signsAre)
    {
        final long lowerBits = (ids & ~BYTE_SIGNS) + excess;
        return ids & lowerBits | (ids | lowerBits) & signsAre;
    }

    /** Has a sign bit in some byte exactly if some byte of the word is zero. */
    private static long zeroBytes(final long word)
    {
        return word - EVERY_BYTE & ~word;
    }

    private boolean isNoneFlagged(final int used)
    {
        long any = 0;
        for (int i = 0; i < used; i++)
        {
            any |= flags[i];
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

    /** Whether the row is marked as missing; looks at as many ids as no sound row has alike, and at its first weight. */
    public static boolean isMarked(final ModelShape shape, final DirectBuffer rows, final int start)
    {
        if (rows.getByte(start) != -1 || !canBeMarked(shape))
        {
            return false;
        }
        int marked = 1;
        while (marked < markBytes(shape) && rows.getByte(start + marked) == -1)
        {
            marked++;
        }
        return marked == markBytes(shape) &&
            (!shape.combineWeights() || rows.getInt(start + shape.idsBytes()) == -1);
    }

    /** As {@link #isMarked(ModelShape, DirectBuffer, int)}, of a row in an array. */
    static boolean isMarked(final ModelShape shape, final byte[] rows, final int start)
    {
        if (rows[start] != -1 || !canBeMarked(shape))
        {
            return false;
        }
        final int weights = start + shape.idsBytes();
        return areOnes(rows, start, markBytes(shape)) &&
            (!shape.combineWeights() || areOnes(rows, weights, Integer.BYTES));
    }

    /**
     * The first row that is marked as missing, or {@code count}.
     *
     * @param offset of row 0.
     * @param first  the row to begin with.
     */
    static int firstMarked(
        final ModelShape shape, final DirectBuffer rows, final int offset, final int first, final int count)
    {
        final int rowBytes = shape.rowBytes();
        final byte[] array = rows.byteArray();
        int row = first;
        if (array == null)
        {
            while (row < count && !isMarked(shape, rows, offset + row * rowBytes))
            {
                row++;
            }
            return row;
        }
        rows.boundsCheck(offset + first * rowBytes, (count - first) * rowBytes);
        int at = rows.wrapAdjustment() + offset + first * rowBytes;
        while (row < count && (array[at] != -1 || !isMarked(shape, array, at)))
        {
            row++;
            at += rowBytes;
        }
        return row;
    }

    private static boolean areOnes(final byte[] bytes, final int start, final int count)
    {
        int ones = 0;
        while (ones < count && bytes[start + ones] == -1)
        {
            ones++;
        }
        return ones == count;
    }

    /** If every id is an expert, a lone one is a row and no mark. */
    private static boolean canBeMarked(final ModelShape shape)
    {
        final boolean everyIdIsAnExpert = shape.experts() == ModelShape.MAX_EXPERTS_PER_BYTE ||
            shape.experts() == ModelShape.MAX_EXPERTS_PER_SHORT;
        return shape.topK() > 1 || !everyIdIsAnExpert || shape.combineWeights();
    }

    private static int markBytes(final ModelShape shape)
    {
        return Math.min(2, shape.topK()) * shape.idBytes();
    }
}
