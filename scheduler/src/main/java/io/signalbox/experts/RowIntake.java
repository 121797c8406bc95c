// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;

/**
 * Checks the rows of one store and converts them to storage width, unless they have it. A store checks all its
 * rows before it changes a page, so that a bad row leaves everything as it was.
 */
final class RowIntake
{
    private static final int MAX_BYTES = Integer.MAX_VALUE - Long.BYTES;

    private final ModelShape shape;
    private final int rowBytes;
    private final RowCheck check;
    private final ByteIds byteIds = new ByteIds();

    private ExpandableArrayBuffer converted = new ExpandableArrayBuffer(0);
    private ByteBuffer convertedBytes;
    private LongBuffer convertedWords;
    private CapturedRows captured;
    private boolean converts;

    RowIntake(final ModelShape shape)
    {
        this.shape = shape;
        rowBytes = shape.rowBytes();
        check = new RowCheck(shape);
    }

    /** Starts a store. */
    void begin(final CapturedRows capturedRows)
    {
        captured = capturedRows;
        converts = captured.type().bytes() != shape.idBytes();
        final long needed = (long)captured.rowCount() * rowBytes;
        if (needed > MAX_BYTES)
        {
            throw new RoutedExpertsException(captured.rowCount() + " rows of " + rowBytes +
                " bytes are more than one store accepts; store them in parts.");
        }
        if (converts && needed > converted.capacity())
        {
            converted = new ExpandableArrayBuffer((int)Math.max(needed, Math.min(2L * converted.capacity(), MAX_BYTES)));
            convertedBytes = ByteBuffer.wrap(converted.byteArray());
            convertedWords = convertedBytes.order(ByteOrder.LITTLE_ENDIAN).asLongBuffer();
        }
    }

    /** Holds the rows that were taken in, in storage width. */
    DirectBuffer rows()
    {
        return converts ? converted : captured.buffer();
    }

    /** Start of a captured row in {@link #rows()}. */
    int offset(final int row)
    {
        return (converts ? 0 : captured.offset()) + row * rowBytes;
    }

    /** Takes in consecutive rows; false if one of them is not sound, which ends the store. */
    boolean take(final int firstRow, final int count)
    {
        if (!converts)
        {
            return check.firstUnsound(captured.buffer(), captured.offset(), firstRow, firstRow + count) == firstRow + count;
        }
        return convert(firstRow, count) &&
            check.areSound(convertedWords, converted, firstRow * rowBytes, (firstRow + count) * rowBytes);
    }

    /** Returns false if an id does not fit the storage width. */
    private boolean convert(final int firstRow, final int count)
    {
        final int firstId = firstRow * shape.rowIds();
        final int ids = count * shape.rowIds();
        if (captured.type().bytes() == Short.BYTES)
        {
            return byteIds.narrow(captured, firstId, ids, convertedBytes, firstRow * rowBytes);
        }
        boolean fits = true;
        for (int i = firstId; i < firstId + ids; i++)
        {
            final int id = captured.buffer().getInt(captured.offset() + i * Integer.BYTES, ByteOrder.LITTLE_ENDIAN);
            fits &= id >>> Byte.SIZE * shape.idBytes() == 0;
            if (shape.idBytes() == Byte.BYTES)
            {
                converted.putByte(i, (byte)id);
            }
            else
            {
                converted.putShort(i * Short.BYTES, (short)id, ByteOrder.LITTLE_ENDIAN);
            }
        }
        return fits;
    }

    /** Describes the fault of one row, or returns null. */
    RoutedExpertsException fault(final int row, final int blockId, final int position)
    {
        final String place = "row " + row + ", for position " + position + " of block " + blockId + ", names expert ";
        for (int i = 0; i < shape.rowIds(); i++)
        {
            final int id = idAt(row, i);
            if (id < 0 || id >= shape.experts())
            {
                return new RoutedExpertsException(place + id + " in MoE layer " + i / shape.topK() +
                    ", but experts are 0 to " + (shape.experts() - 1) + "; nothing was stored.");
            }
            for (int other = i - i % shape.topK(); other < i; other++)
            {
                if (idAt(row, other) == id)
                {
                    return new RoutedExpertsException(place + id + " twice in MoE layer " + i / shape.topK() +
                        ", but a token is routed to distinct experts; nothing was stored.");
                }
            }
        }
        return null;
    }

    private int idAt(final int row, final int index)
    {
        final DirectBuffer buffer = captured.buffer();
        final int at = captured.offset() + (row * shape.rowIds() + index) * captured.type().bytes();
        return switch (captured.type())
        {
            case UINT8 -> buffer.getByte(at) & 0xFF;
            case UINT16 -> buffer.getShort(at, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
            case INT16 -> buffer.getShort(at, ByteOrder.LITTLE_ENDIAN);
            case INT32 -> buffer.getInt(at, ByteOrder.LITTLE_ENDIAN);
        };
    }
}
