// SPDX-License-Identifier: Apache-2.0
package io.signalbox.recompute;

import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RowCheck;
import org.agrona.DirectBuffer;

import java.nio.ByteOrder;
import java.util.StringJoiner;

/** The recorded rows of a step and those that were computed now; the first ones begin at an offset. */
record RowPair(ModelShape shape, DirectBuffer recorded, int offset, DirectBuffer now)
{
    /** Whether the record has no experts of this row. */
    boolean isMissing(final int row)
    {
        return RowCheck.isMarked(shape, recorded, offset + row * shape.rowBytes());
    }

    boolean isAbsentNow(final int row)
    {
        return now == null || now.capacity() < (row + 1) * shape.rowBytes();
    }

    /** The first layer whose ids differ, or, behind all of these, whose weights do; -1: none. */
    int firstDifferentLayer(final int row)
    {
        for (int layer = 0; layer < shape.moeLayers(); layer++)
        {
            if (!hasEqualIds(row, layer) || !hasEqualWeights(row, layer))
            {
                return layer;
            }
        }
        return -1;
    }

    boolean hasEqualIds(final int row, final int layer)
    {
        return areEqual(idsAt(row, layer), shape.topK() * shape.idBytes());
    }

    private boolean hasEqualWeights(final int row, final int layer)
    {
        return !shape.combineWeights() || areEqual(weightsAt(row, layer), shape.topK() * ModelShape.WEIGHT_BYTES);
    }

    private boolean areEqual(final int at, final int bytes)
    {
        int i = 0;
        while (i < bytes && recorded.getByte(offset + at + i) == now.getByte(at + i))
        {
            i++;
        }
        return i == bytes;
    }

    private int idsAt(final int row, final int layer)
    {
        return row * shape.rowBytes() + layer * shape.topK() * shape.idBytes();
    }

    private int weightsAt(final int row, final int layer)
    {
        return row * shape.rowBytes() + shape.idsBytes() + layer * shape.topK() * ModelShape.WEIGHT_BYTES;
    }

    String recordedIds(final int row, final int layer)
    {
        return ids(recorded, offset + idsAt(row, layer));
    }

    String idsNow(final int row, final int layer)
    {
        return ids(now, idsAt(row, layer));
    }

    String recordedWeights(final int row, final int layer)
    {
        return weights(recorded, offset + weightsAt(row, layer));
    }

    String weightsNow(final int row, final int layer)
    {
        return weights(now, weightsAt(row, layer));
    }

    private String ids(final DirectBuffer rows, final int first)
    {
        final StringJoiner text = new StringJoiner(" ");
        for (int at = first; at < first + shape.topK() * shape.idBytes(); at += shape.idBytes())
        {
            text.add(Integer.toString(switch (shape.idBytes())
            {
                case Byte.BYTES -> rows.getByte(at) & 0xFF;
                case Short.BYTES -> rows.getShort(at, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
                default -> rows.getInt(at, ByteOrder.LITTLE_ENDIAN);
            }));
        }
        return text.toString();
    }

    private String weights(final DirectBuffer rows, final int first)
    {
        final StringJoiner text = new StringJoiner(" ");
        for (int k = 0; k < shape.topK(); k++)
        {
            text.add(Float.toString(rows.getFloat(first + k * ModelShape.WEIGHT_BYTES, ByteOrder.LITTLE_ENDIAN)));
        }
        return text.toString();
    }
}
