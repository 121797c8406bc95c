// SPDX-License-Identifier: Apache-2.0
package io.signalbox.reference.conformance;

import io.signalbox.experts.CapturedRows;
import io.signalbox.experts.ExpertIdType;
import io.signalbox.experts.ModelShape;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteOrder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;

/** The routed-expert rows of recorded traces: a formula of seed, token, layer and place, and checksums over them. */
final class RoutingPayload
{
    final ModelShape shape;
    final ExpertIdType type;

    RoutingPayload(final ModelShape shape, final ExpertIdType type)
    {
        this.shape = shape;
        this.type = type;
    }

    /** Of the arguments of an {@code init} record. */
    static RoutingPayload of(final TraceRecord init)
    {
        return new RoutingPayload(
            new ModelShape(init.integer("layers"), init.integer("experts"), init.integer("topk")), type(init.text("dtype")));
    }

    private static ExpertIdType type(final String name)
    {
        return switch (name)
        {
            case "int16" -> ExpertIdType.INT16;
            case "int32" -> ExpertIdType.INT32;
            default -> throw new Divergence("dtype \"" + name + "\" is neither int16 nor int32");
        };
    }

    int rowBytes()
    {
        return shape.rowIds() * type.bytes();
    }

    /** Rows {@code 0 .. count} of one call. */
    CapturedRows rows(final int count, final long seed)
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[count * rowBytes()]);
        int at = 0;
        for (int token = 0; token < count; token++)
        {
            for (int layer = 0; layer < shape.moeLayers(); layer++)
            {
                for (int place = 0; place < shape.topK(); place++)
                {
                    put(buffer, at, expert(seed, token, layer, place));
                    at += type.bytes();
                }
            }
        }
        return new CapturedRows().wrap(buffer, 0, count, type);
    }

    int expert(final long seed, final int token, final int layer, final int place)
    {
        final long mixed = seed * 2654435761L + token * 40503L + layer * 9176L + place * 7919L;
        return (int)((mixed & 0xFFFF_FFFFL) >>> 7) % shape.experts();
    }

    private void put(final UnsafeBuffer buffer, final int at, final int expert)
    {
        switch (type)
        {
            case UINT8 -> buffer.putByte(at, (byte)expert);
            case INT32 -> buffer.putInt(at, expert, ByteOrder.LITTLE_ENDIAN);
            default -> buffer.putShort(at, (short)expert, ByteOrder.LITTLE_ENDIAN);
        }
    }

    /** As the traces have it: shape and checksum of {@code rows} rows. */
    Map<String, Object> summary(final byte[] bytes, final int rows)
    {
        final Map<String, Object> summary = new LinkedHashMap<>();
        summary.put("shape", List.of((long)rows, (long)shape.moeLayers(), (long)shape.topK()));
        summary.put("crc", crc(bytes));
        return summary;
    }

    /** Of int16 ids; a row that is missing counts as zeros. */
    static String crc(final short[] ids)
    {
        final byte[] bytes = new byte[ids.length * Short.BYTES];
        for (int i = 0; i < ids.length; i++)
        {
            bytes[2 * i] = (byte)Math.max(ids[i], 0);
            bytes[2 * i + 1] = (byte)(Math.max(ids[i], 0) >> 8);
        }
        return crc(bytes);
    }

    static String crc(final byte[] bytes)
    {
        final CRC32 crc = new CRC32();
        crc.update(bytes);
        return String.format("%08x", crc.getValue());
    }
}
