// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.Arrays;

/**
 * Brings the rows of one store to storage width and checks every id on the way: ids in {@code [0, experts)} and, under
 * {@link RowPolicy#CONTRACT}, distinct in each layer of a row. A store takes all its rows in before it changes a page,
 * so that a bad row leaves everything as it was.
 */
final class RowIntake
{
    private static final int MAX_BYTES = Integer.MAX_VALUE - Long.BYTES;
    private static final VarHandle LONGS =
        MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle SHORTS = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long EVERY_BYTE = 0x0101_0101_0101_0101L;
    private static final long BYTE_SIGNS = 0x8080_8080_8080_8080L;

    private final ModelShape shape;
    private final boolean distinct;
    private final int rowIds;
    private final int rowBytes;
    private final ByteIds byteIds = new ByteIds();

    private ByteBuffer rows = ByteBuffer.allocate(0);
    private LongBuffer rowWords = rows.asLongBuffer();
    private final long[] words = new long[512];
    private final long[] zeros = new long[512];
    private int taken;
    private CapturedRows captured;
    private final byte[] row;
    /** Where the distinctness of ids is not computed eight at a time: the last layer, of any row, that named an expert. */
    private int[] lastNamedIn = new int[0];
    private int layersSeen;

    RowIntake(final ModelShape shape, final RowPolicy policy)
    {
        this.shape = shape;
        rowIds = shape.rowIds();
        rowBytes = shape.rowBytes();
        row = new byte[rowIds * Integer.BYTES];
        distinct = policy == RowPolicy.CONTRACT && shape.topK() > 1;
    }

    /** Starts a store of at most {@code maxRows} of the captured rows. */
    void begin(final CapturedRows capturedRows, final int maxRows)
    {
        final long needed = (long)maxRows * rowBytes;
        if (needed > MAX_BYTES)
        {
            throw new RoutedExpertsException(
                maxRows + " rows of " + rowBytes + " bytes are more than one store can take; store them in parts.");
        }
        if (needed > rows.capacity())
        {
            rows = ByteBuffer.allocate((int)Math.max(needed, Math.min(2L * rows.capacity(), MAX_BYTES)));
            rowWords = rows.order(ByteOrder.LITTLE_ENDIAN).asLongBuffer();
        }
        taken = 0;
        captured = capturedRows;
    }

    /** The rows taken in so far, one after the other in storage width. */
    byte[] rows()
    {
        return rows.array();
    }

    /** Takes in consecutive rows; false when one of them is not sound, which ends the store. */
    boolean take(final int firstRow, final int count)
    {
        final int start = taken * rowBytes;
        taken += count;
        if (captured.type().bytes() == Short.BYTES && shape.idBytes() == Byte.BYTES)
        {
            return byteIds.narrow(captured, firstRow * rowIds, count * rowIds, rows, start) &&
                areInRange(start, start + count * rowBytes) && areDistinct(start, count);
        }
        boolean sound = true;
        for (int i = 0; i < count && sound; i++)
        {
            sound = takeRow(firstRow + i, start + i * rowBytes);
        }
        return sound && areDistinct(start, count);
    }

    private boolean takeRow(final int index, final int target)
    {
        load(index);
        final byte[] ids = rows.array();
        boolean sound = true;
        for (int i = 0; i < rowIds; i++)
        {
            final int id = idAt(i);
            // Unsigned, so that a negative id is too large as well.
            sound &= Integer.compareUnsigned(id, shape.experts()) < 0;
            switch (shape.idBytes())
            {
                case Byte.BYTES -> ids[target + i] = (byte)id;
                case Short.BYTES -> SHORTS.set(ids, target + i * Short.BYTES, (short)id);
                default -> INTS.set(ids, target + i * Integer.BYTES, id);
            }
        }
        return sound;
    }

    private void load(final int index)
    {
        final int length = rowIds * captured.type().bytes();
        captured.buffer().getBytes(captured.offset() + index * length, row, 0, length);
    }

    /** Eight bytes at a time: a byte that is too large ends up with its sign bit set. */
    private boolean areInRange(final int start, final int end)
    {
        final byte[] ids = rows.array();
        final int max = shape.experts() - 1;
        if (max == 0xFF)
        {
            return true;
        }
        final boolean signAllowed = max > Byte.MAX_VALUE;
        final long excess = EVERY_BYTE * (Byte.MAX_VALUE - (max & Byte.MAX_VALUE));
        long tooLarge = 0;
        int i = start;
        for (; i <= end - Long.BYTES; i += Long.BYTES)
        {
            final long word = (long)LONGS.get(ids, i);
            final long lowerBits = (word & ~BYTE_SIGNS) + excess;
            tooLarge |= signAllowed ? word & lowerBits : word | lowerBits;
        }
        boolean sound = (tooLarge & BYTE_SIGNS) == 0;
        for (; i < end; i++)
        {
            sound &= (ids[i] & 0xFF) <= max;
        }
        return sound;
    }

    private boolean areDistinct(final int start, final int count)
    {
        if (!distinct)
        {
            return true;
        }
        if (shape.topK() == Long.BYTES && shape.idBytes() == Byte.BYTES)
        {
            return areDistinctBytes(start, start + count * rowBytes);
        }
        boolean sound = true;
        for (int i = 0; i < count && sound; i++)
        {
            sound = isDistinct(start + i * rowBytes);
        }
        return sound;
    }

    private boolean areDistinctBytes(final int start, final int end)
    {
        Arrays.fill(zeros, 0);
        rowWords.clear().position(start / Long.BYTES);
        for (int left = (end - start) / Long.BYTES; left > 0; left -= words.length)
        {
            final int count = Math.min(left, words.length);
            rowWords.get(words, 0, count);
            markRepeated(words, zeros, count);
        }
        long any = 0;
        for (final long zero : zeros)
        {
            any |= zero;
        }
        return (any & BYTE_SIGNS) == 0;
    }

    /** From array to array without a sum: such a loop goes into vector registers on Java 17 as on 25. */
    private static void markRepeated(final long[] words, final long[] zeros, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            final long ids = words[i];
            // Turned by one to four places, each id meets each other one; where they are alike, a byte is zero.
            zeros[i] |= zeroBytes(ids ^ (ids << 8 | ids >>> 56)) | zeroBytes(ids ^ (ids << 16 | ids >>> 48)) |
                zeroBytes(ids ^ (ids << 24 | ids >>> 40)) | zeroBytes(ids ^ (ids << 32 | ids >>> 32));
        }
    }

    /** Has a sign bit in some byte exactly when some byte of the word is zero. */
    private static long zeroBytes(final long word)
    {
        return (word - EVERY_BYTE) & ~word;
    }

    private boolean isDistinct(final int target)
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
        boolean sound = true;
        for (int i = 0, layer = 0; layer < shape.moeLayers(); layer++)
        {
            layersSeen++;
            for (int k = 0; k < shape.topK(); k++, i++)
            {
                final int id = StoredIds.at(rows.array(), target + i * shape.idBytes(), shape.idBytes());
                sound &= lastNamedIn[id] != layersSeen;
                lastNamedIn[id] = layersSeen;
            }
        }
        return sound;
    }

    private int idAt(final int index)
    {
        return switch (captured.type())
        {
            case UINT8 -> row[index] & 0xFF;
            case UINT16 -> (short)SHORTS.get(row, index * Short.BYTES) & 0xFFFF;
            case INT16 -> (short)SHORTS.get(row, index * Short.BYTES);
            case INT32 -> (int)INTS.get(row, index * Integer.BYTES);
        };
    }

    /** What is wrong with one row, or null. */
    RoutedExpertsException fault(final int index, final int blockId, final int position)
    {
        load(index);
        final String place = "row " + index + ", for position " + position + " of block " + blockId + ", names expert ";
        for (int i = 0; i < rowIds; i++)
        {
            final int id = idAt(i);
            if (id < 0 || id >= shape.experts())
            {
                return new RoutedExpertsException(place + id + " in MoE layer " + i / shape.topK() +
                    ", but experts are 0 to " + (shape.experts() - 1) + "; nothing was stored.");
            }
            for (int other = i - i % shape.topK(); other < i && distinct; other++)
            {
                if (idAt(other) == id)
                {
                    return new RoutedExpertsException(place + id + " twice in MoE layer " + i / shape.topK() +
                        ", but a token is routed to distinct experts; nothing was stored.");
                }
            }
        }
        return null;
    }
}
