// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import org.agrona.MutableDirectBuffer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Writes expert ids from storage width, which is unsigned, into a buffer in the width that a reader wants. */
final class StoredIds
{
    private static final VarHandle SHORTS = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);

    private StoredIds()
    {
    }

    static int at(final byte[] source, final int index, final int idBytes)
    {
        return switch (idBytes)
        {
            case Byte.BYTES -> source[index] & 0xFF;
            case Short.BYTES -> (short)SHORTS.get(source, index) & 0xFFFF;
            default -> (source[index] & 0xFF) | (source[index + 1] & 0xFF) << 8 | (source[index + 2] & 0xFF) << 16 |
                source[index + 3] << 24;
        };
    }

    /** @param type can name every expert that the source can. */
    static void write(
        final byte[] source,
        final int start,
        final int ids,
        final int idBytes,
        final ExpertIdType type,
        final MutableDirectBuffer target,
        final int offset)
    {
        if (type.bytes() == idBytes)
        {
            final byte[] array = target.byteArray();
            if (array != null && !target.isExpandable())
            {
                target.boundsCheck(offset, ids * idBytes);
                System.arraycopy(source, start, array, target.wrapAdjustment() + offset, ids * idBytes);
            }
            else
            {
                target.putBytes(offset, source, start, ids * idBytes);
            }
        }
        else
        {
            for (int i = 0; i < ids; i++)
            {
                put(target, offset + i * type.bytes(), at(source, start + i * idBytes, idBytes), type);
            }
        }
    }

    private static void put(final MutableDirectBuffer target, final int index, final int id, final ExpertIdType type)
    {
        switch (type)
        {
            case UINT8 -> target.putByte(index, (byte)id);
            case UINT16, INT16 -> target.putShort(index, (short)id, ByteOrder.LITTLE_ENDIAN);
            case INT32 -> target.putInt(index, id, ByteOrder.LITTLE_ENDIAN);
        }
    }
}
