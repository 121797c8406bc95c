// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import org.agrona.DirectBuffer;

import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Finds the rows of a capture that no expert router can have chosen: an id is no expert, or is named twice in a layer. The
 * rows are in storage width. A row with all bits set is <em>marked</em> as missing, which only such a row can be. Not
 * thread-safe.
 */
public final class RowCheck
{
    private static final long EVERY_BYTE = 0x0101_0101_0101_0101L;
    private static final long BYTE_SIGNS = 0x8080_8080_8080_8080L;

    private final ModelShape shape;
    private final int rowBytes;
    private final int[] lastNamedIn;
    private int layersSeen;

    public RowCheck(final ModelShape shape)
    {
        this.shape = shape;
        rowBytes = shape.rowBytes();
        lastNamedIn = new int[shape.experts()];
    }

    /**
     * The first row that is not sound, or {@code count}.
     *
     * @param offset of row 0.
     * @param first  the row to begin with.
     */
    public int firstUnsound(final DirectBuffer rows, final int offset, final int first, final int count)
    {
        if (shape.idBytes() == Byte.BYTES && shape.topK() == Long.BYTES &&
            areSound(rows, offset + first * rowBytes, offset + count * rowBytes))
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

    /** Each layer is one word of eight ids. */
    private boolean areSound(final DirectBuffer rows, final int start, final int end)
    {
        final int max = shape.experts() - 1;
        final boolean signAllowed = max > Byte.MAX_VALUE;
        final long excess = EVERY_BYTE * (Byte.MAX_VALUE - (max & Byte.MAX_VALUE));
        long unsound = 0;
        for (int i = start; i < end; i += Long.BYTES)
        {
            final long ids = rows.getLong(i);
            final long lowerBits = (ids & ~BYTE_SIGNS) + excess;
            unsound |= signAllowed ? ids & lowerBits : ids | lowerBits;
            // Turned by one to four places, each id meets each other one; if two are alike, a byte is zero.
            unsound |= zeroBytes(ids ^ Long.rotateLeft(ids, 8)) | zeroBytes(ids ^ Long.rotateLeft(ids, 16)) |
                zeroBytes(ids ^ Long.rotateLeft(ids, 24)) | zeroBytes(ids ^ Long.rotateLeft(ids, 32));
        }
        return (unsound & BYTE_SIGNS) == 0;
    }

    /** Has a sign bit in some byte exactly if some byte of the word is zero. */
    private static long zeroBytes(final long word)
    {
        return word - EVERY_BYTE & ~word;
    }

    private boolean isSound(final DirectBuffer rows, final int start)
    {
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
        final boolean everyIdIsAnExpert = shape.experts() == ModelShape.MAX_EXPERTS_PER_BYTE;
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
