// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance;

import io.signalbox.experts.ExpertIdType;
import io.signalbox.experts.ModelShape;

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

    /** Rows {@code 0 .. count} of one call. */
    int[][] rows(final int count, final long seed)
    {
        final int[][] rows = new int[count][shape.rowIds()];
        for (int token = 0; token < count; token++)
        {
            for (int i = 0; i < shape.rowIds(); i++)
            {
                rows[token][i] = expert(seed, token, i / shape.topK(), i % shape.topK());
            }
        }
        return rows;
    }

    int expert(final long seed, final int token, final int layer, final int place)
    {
        final long mixed = seed * 2654435761L + token * 40503L + layer * 9176L + place * 7919L;
        return (int)((mixed & 0xFFFF_FFFFL) >>> 7) % shape.experts();
    }

    /** As the traces have it: shape and checksum of rows. */
    Map<String, Object> summary(final int[] ids)
    {
        final Map<String, Object> summary = new LinkedHashMap<>();
        final long rows = ids.length / shape.rowIds();
        summary.put("shape", List.of(rows, (long)shape.moeLayers(), (long)shape.topK()));
        summary.put("crc", crc(ids));
        return summary;
    }

    /** Of ids in the recorded type. */
    String crc(final int[] ids)
    {
        final CRC32 crc = new CRC32();
        for (final int id : ids)
        {
            for (int i = 0; i < type.bytes(); i++)
            {
                crc.update(id >>> Byte.SIZE * i);
            }
        }
        return String.format("%08x", crc.getValue());
    }
}
