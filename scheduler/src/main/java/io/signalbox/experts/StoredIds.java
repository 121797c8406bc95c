// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import org.agrona.MutableDirectBuffer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Reads expert ids in storage width, which is unsigned, into a buffer in the width that a reader asks for. */
final class StoredIds
{
    private static final VarHandle SHORTS = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);

    private StoredIds()
    {
    }

    private static int at(final byte[] source, final int index, final int idBytes)
    {
        return switch (idBytes)
        {
            case Byte.BYTES -> source[index] & 0xFF;
            case Short.BYTES -> (short)SHORTS.get(source, index) & 0xFFFF;
            default -> (source[index] & 0xFF) | (source[index + 1] & 0xFF) << 8 | (source[index + 2] & 0xFF) << 16 |
                source[index + 3] << 24;
        };
    }

    static void read(
        final byte[] source,
        final int start,
        final int ids,
        final int idBytes,
        final ExpertIdType type,
        final MutableDirectBuffer target,
        final int offset,
        final ByteIds byteIds)
    {
        if (type.bytes() == Short.BYTES && idBytes == Byte.BYTES)
        {
            byteIds.widen(source, start, ids, target, offset);
        }
        else if (type.bytes() == idBytes)
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
                final int id = at(source, start + i * idBytes, idBytes);
                target.putInt(offset + i * Integer.BYTES, id, ByteOrder.LITTLE_ENDIAN);
            }
        }
    }
}
