// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import io.signalbox.StateDigest;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Rows of expert ids as plain arrays, into buffers and out of them, one id at a time. */
final class ExpertRows
{
    private ExpertRows()
    {
    }

    /** A view of the rows at an odd offset, now and then in direct memory. */
    static CapturedRows captured(final int[][] rows, final ExpertIdType type, final boolean direct)
    {
        final int ids = Arrays.stream(rows).mapToInt(row -> row.length).sum();
        final int offset = 3;
        final int length = offset + ids * type.bytes();
        final UnsafeBuffer buffer = direct ?
            new UnsafeBuffer(ByteBuffer.allocateDirect(length)) : new UnsafeBuffer(new byte[length + 5], 5, length);
        int at = offset;
        for (final int[] row : rows)
        {
            for (final int id : row)
            {
                put(buffer, at, type, id);
                at += type.bytes();
            }
        }
        return new CapturedRows().wrap(buffer, offset, rows.length, type);
    }

    static UnsafeBuffer target(final int length, final boolean direct)
    {
        return direct ? new UnsafeBuffer(ByteBuffer.allocateDirect(length)) : new UnsafeBuffer(new byte[length]);
    }

    static void put(final MutableDirectBuffer buffer, final int at, final ExpertIdType type, final int id)
    {
        for (int i = 0; i < type.bytes(); i++)
        {
            buffer.putByte(at + i, (byte)(id >> Byte.SIZE * i));
        }
    }

    static int[] read(final UnsafeBuffer buffer, final int offset, final int ids, final ExpertIdType type)
    {
        final int[] read = new int[ids];
        for (int i = 0; i < ids; i++)
        {
            final int at = offset + i * type.bytes();
            read[i] = switch (type)
            {
                case UINT8 -> buffer.getByte(at) & 0xFF;
                case UINT16 -> buffer.getShort(at, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
                case INT16 -> buffer.getShort(at, ByteOrder.LITTLE_ENDIAN);
                case INT32 -> buffer.getInt(at, ByteOrder.LITTLE_ENDIAN);
            };
        }
        return read;
    }

    /** A row of distinct ids in each layer; another seed gives another row wherever the shape has room for one. */
    static int[] distinct(final ModelShape shape, final long seed)
    {
        final int[] row = new int[shape.rowIds()];
        for (int i = 0; i < row.length; i++)
        {
            final long first = StateDigest.mix(seed, i / shape.topK());
            row[i] = (int)((Long.remainderUnsigned(first, shape.experts()) + i % shape.topK()) % shape.experts());
        }
        return row;
    }
}
