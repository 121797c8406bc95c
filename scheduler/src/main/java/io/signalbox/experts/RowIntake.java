// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Brings the rows of one store to storage width and checks every id on the way: ids in {@code [0, experts)} and, under
 * {@link RowPolicy#CONTRACT}, distinct in each layer of a row. A store takes all its rows in before it changes a page,
 * so that a bad row leaves everything as it was.
 */
final class RowIntake
{
    private static final VarHandle LONGS =
        MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle SHORTS = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long EVERY_SHORT = 0x0001_0001_0001_0001L;
    private static final long SHORT_SIGNS = 0x8000_8000_8000_8000L;
    private static final long EVERY_BYTE = 0x0101_0101_0101_0101L;
    private static final long BYTE_SIGNS = 0x8080_8080_8080_8080L;

    private final ModelShape shape;
    private final boolean distinct;
    private final int rowIds;
    private final int rowBytes;
    /** Added to each of four int16 ids, turns the sign bit of those that are too large; all smaller ones keep theirs. */
    private final long excess;
    private final boolean hasByteGroups;

    private byte[] rows = new byte[0];
    private int taken;
    private CapturedRows captured;
    private byte[] source;
    private int sourceStart;
    private byte[] copy = new byte[0];
    /** Where the distinctness of ids is not computed eight at a time: the last layer, of any row, that named an expert. */
    private int[] lastNamedIn = new int[0];
    private int layersSeen;

    RowIntake(final ModelShape shape, final RowPolicy policy)
    {
        this.shape = shape;
        rowIds = shape.rowIds();
        rowBytes = shape.rowBytes();
        distinct = policy == RowPolicy.CONTRACT && shape.topK() > 1;
        excess = EVERY_SHORT * (Short.MAX_VALUE - Math.min(shape.experts() - 1, Short.MAX_VALUE));
        hasByteGroups = shape.topK() == Long.BYTES && shape.idBytes() == Byte.BYTES;
    }

    /** Starts a store of at most {@code maxRows} of the captured rows. */
    void begin(final CapturedRows capturedRows, final int maxRows)
    {
        final long needed = (long)maxRows * rowBytes;
        if (needed > Integer.MAX_VALUE - Long.BYTES)
        {
            throw new RoutedExpertsException(
                maxRows + " rows of " + rowBytes + " bytes are more than one store can take; store them in parts.");
        }
        if (needed > rows.length)
        {
            rows = new byte[(int)Math.max(needed, Math.min(2L * rows.length, Integer.MAX_VALUE - Long.BYTES))];
        }
        taken = 0;
        captured = capturedRows;
        source = capturedRows.buffer().byteArray();
        if (source == null)
        {
            copy = copy.length < rowIds * Integer.BYTES ? new byte[rowIds * Integer.BYTES] : copy;
        }
        else
        {
            sourceStart = capturedRows.buffer().wrapAdjustment() + capturedRows.offset();
        }
    }

    /** The rows taken in so far, one after the other in storage width. */
    byte[] rows()
    {
        return rows;
    }

    /**
     * Takes in one row.
     *
     * @throws RoutedExpertsException when an id is out of range or named twice in a layer; the sentence says for which
     *                                block and position.
     */
    void take(final int row, final int blockId, final int position)
    {
        final int length = rowIds * captured.type().bytes();
        final int target = taken * rowBytes;
        byte[] array = source;
        int start = sourceStart + row * length;
        if (array == null)
        {
            array = copy;
            start = 0;
            captured.buffer().getBytes(captured.offset() + row * length, array, 0, length);
        }
        final boolean sound = bring(array, start, target) && (!distinct || isDistinct(target));
        if (!sound)
        {
            throw complaint(array, start, row, blockId, position);
        }
        taken++;
    }

    private boolean bring(final byte[] array, final int start, final int target)
    {
        if (captured.type().bytes() == Short.BYTES && shape.idBytes() == Byte.BYTES)
        {
            return narrowShorts(array, start, target);
        }
        int worst = 0;
        for (int i = 0; i < rowIds; i++)
        {
            final int id = idAt(array, start, i);
            // Unsigned, so that a negative id is too large as well.
            worst |= Integer.compareUnsigned(id, shape.experts()) < 0 ? 0 : 1;
            put(target, i, id);
        }
        return worst == 0;
    }

    private boolean narrowShorts(final byte[] array, final int start, final int target)
    {
        long bad = 0;
        int i = 0;
        for (; i <= rowIds - Long.BYTES; i += Long.BYTES)
        {
            final long low = (long)LONGS.get(array, start + i * Short.BYTES);
            final long high = (long)LONGS.get(array, start + i * Short.BYTES + Long.BYTES);
            bad |= low | (low + excess) | high | (high + excess);
            LONGS.set(rows, target + i, narrow(low, high));
        }
        boolean sound = (bad & SHORT_SIGNS) == 0;
        for (; i < rowIds; i++)
        {
            final int id = idAt(array, start, i);
            sound &= Integer.compareUnsigned(id, shape.experts()) < 0;
            rows[target + i] = (byte)id;
        }
        return sound;
    }

    /** Eight int16 ids below 256 as eight bytes in the same order. */
    private static long narrow(final long low, final long high)
    {
        final long pairs = ((low | low >>> 8) & 0x0000_FFFF_0000_FFFFL) | ((high | high >>> 8) & 0x0000_FFFF_0000_FFFFL) << 16;
        // The middle two of the four pairs change places.
        final long swap = (pairs ^ pairs >>> 16) & 0x0000_0000_FFFF_0000L;
        return pairs ^ swap ^ swap << 16;
    }

    private boolean isDistinct(final int target)
    {
        if (!hasByteGroups)
        {
            return repeatedId(target) < 0;
        }
        long zeros = 0;
        for (int i = 0; i < rowBytes; i += Long.BYTES)
        {
            final long ids = (long)LONGS.get(rows, target + i);
            // Turned by one to four places, each id meets each other one; where they are alike, a byte is zero.
            zeros |= zeroBytes(ids ^ Long.rotateLeft(ids, 8)) | zeroBytes(ids ^ Long.rotateLeft(ids, 16)) |
                zeroBytes(ids ^ Long.rotateLeft(ids, 24)) | zeroBytes(ids ^ Long.rotateLeft(ids, 32));
        }
        return (zeros & BYTE_SIGNS) == 0;
    }

    /** Has a sign bit in some byte exactly when some byte of the word is zero. */
    private static long zeroBytes(final long word)
    {
        return (word - EVERY_BYTE) & ~word;
    }

    /** Index of an id that its layer has named before, or -1. */
    private int repeatedId(final int target)
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
        int repeated = -1;
        for (int i = 0, layer = 0; layer < shape.moeLayers(); layer++)
        {
            layersSeen++;
            for (int k = 0; k < shape.topK(); k++, i++)
            {
                final int id = stored(target, i);
                repeated = lastNamedIn[id] == layersSeen ? i : repeated;
                lastNamedIn[id] = layersSeen;
            }
        }
        return repeated;
    }

    private int idAt(final byte[] array, final int start, final int index)
    {
        return switch (captured.type())
        {
            case UINT8 -> array[start + index] & 0xFF;
            case UINT16 -> (short)SHORTS.get(array, start + index * Short.BYTES) & 0xFFFF;
            case INT16 -> (short)SHORTS.get(array, start + index * Short.BYTES);
            case INT32 -> (int)INTS.get(array, start + index * Integer.BYTES);
        };
    }

    private void put(final int target, final int index, final int id)
    {
        switch (shape.idBytes())
        {
            case Byte.BYTES -> rows[target + index] = (byte)id;
            case Short.BYTES -> SHORTS.set(rows, target + index * Short.BYTES, (short)id);
            default -> INTS.set(rows, target + index * Integer.BYTES, id);
        }
    }

    private int stored(final int target, final int index)
    {
        return switch (shape.idBytes())
        {
            case Byte.BYTES -> rows[target + index] & 0xFF;
            case Short.BYTES -> (short)SHORTS.get(rows, target + index * Short.BYTES) & 0xFFFF;
            default -> (int)INTS.get(rows, target + index * Integer.BYTES);
        };
    }

    private RoutedExpertsException complaint(
        final byte[] array, final int start, final int row, final int blockId, final int position)
    {
        final String place = "row " + row + ", for position " + position + " of block " + blockId + ", names expert ";
        for (int i = 0; i < rowIds; i++)
        {
            final int id = idAt(array, start, i);
            if (id < 0 || id >= shape.experts())
            {
                return new RoutedExpertsException(place + id + " in MoE layer " + i / shape.topK() + ", but experts are 0 to " +
                    (shape.experts() - 1) + "; nothing was stored.");
            }
            for (int other = i - i % shape.topK(); other < i; other++)
            {
                if (distinct && idAt(array, start, other) == id)
                {
                    return new RoutedExpertsException(place + id + " twice in MoE layer " + i / shape.topK() +
                        ", but a token is routed to distinct experts; nothing was stored.");
                }
            }
        }
        throw new AssertionError("a row without a fault was refused");
    }
}
