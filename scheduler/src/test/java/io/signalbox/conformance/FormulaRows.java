// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance;

import io.signalbox.experts.ModelShape;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteOrder;
import java.util.zip.CRC32;

/** Routed-expert rows as the traces define them, and their checksum. */
final class FormulaRows
{
    private static final long SEED_FACTOR = 2654435761L;

    private FormulaRows()
    {
    }

    /** Row {@code token} of the step with the given seed, {@code [MoE layer][k]}. */
    static short[] row(final long seed, final int token, final ModelShape shape)
    {
        final short[] row = new short[shape.moeLayers() * shape.topK()];
        for (int layer = 0; layer < shape.moeLayers(); layer++)
        {
            for (int k = 0; k < shape.topK(); k++)
            {
                final long mixed = (seed * SEED_FACTOR + token * 40503L + layer * 9176L + k * 7919L) & 0xFFFFFFFFL;
                row[layer * shape.topK() + k] = (short)((mixed >> 7) % shape.experts());
            }
        }
        return row;
    }

    /** The rows of a step in the form in which a backend hands them over. */
    static UnsafeBuffer captured(final long seed, final int tokens, final ModelShape shape)
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[tokens * shape.rowBytes()]);
        for (int token = 0; token < tokens; token++)
        {
            final short[] row = row(seed, token, shape);
            for (int i = 0; i < row.length; i++)
            {
                if (shape.idBytes() == 1)
                {
                    buffer.putByte(token * shape.rowBytes() + i, (byte)row[i]);
                }
                else
                {
                    buffer.putShort(token * shape.rowBytes() + 2 * i, row[i], ByteOrder.LITTLE_ENDIAN);
                }
            }
        }
        return buffer;
    }

    /** CRC-32 of the ids as little-endian int16, a missing row as zeros, in 8 hexadecimal digits. */
    static String crc(final short[] ids)
    {
        final CRC32 crc = new CRC32();
        for (final short id : ids)
        {
            final int known = Math.max(id, 0);
            crc.update(known & 0xFF);
            crc.update(known >> 8);
        }
        return String.format("%08x", crc.getValue());
    }
}
