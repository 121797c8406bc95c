// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

/**
 * Reads a Perfetto trace by its schema: a field that the schema does not have here, or of another wire type, is an error.
 * Numbers and types are those of trace_packet.proto, track_descriptor.proto, counter_descriptor.proto, track_event.proto and
 * debug_annotation.proto.
 */
final class PerfettoTrace
{
    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int DELIMITED = 2;

    private record Field(String name, int wireType, Map<Integer, Field> message)
    {
    }

    private static final Map<Integer, Field> COUNTER_DESCRIPTOR = Map.of(6, text("unit_name"));
    private static final Map<Integer, Field> TRACK_DESCRIPTOR = Map.of(1, number("uuid"), 2, text("name"),
        5, number("parent_uuid"), 8, new Field("counter", DELIMITED, COUNTER_DESCRIPTOR));
    private static final Map<Integer, Field> DEBUG_ANNOTATION = Map.of(10, text("name"), 4, number("int_value"));
    private static final Map<Integer, Field> TRACK_EVENT = Map.of(9, number("type"), 11, number("track_uuid"),
        23, text("name"), 30, number("counter_value"), 47, new Field("flow_ids", FIXED64, null),
        4, new Field("debug_annotations", DELIMITED, DEBUG_ANNOTATION));
    private static final Map<Integer, Field> TRACE_PACKET = Map.of(8, number("timestamp"),
        10, number("trusted_packet_sequence_id"), 11, new Field("track_event", DELIMITED, TRACK_EVENT),
        60, new Field("track_descriptor", DELIMITED, TRACK_DESCRIPTOR));
    private static final Map<Integer, Field> TRACE = Map.of(1, new Field("packet", DELIMITED, TRACE_PACKET));

    private PerfettoTrace()
    {
    }

    private static Field number(final String name)
    {
        return new Field(name, VARINT, null);
    }

    private static Field text(final String name)
    {
        return new Field(name, DELIMITED, null);
    }

    /** The fields of each packet: {@code track_event.name} to its values in their order. */
    static List<Map<String, List<Object>>> packets(final byte[] trace)
    {
        final List<Map<String, List<Object>>> packets = new ArrayList<>();
        final ByteBuffer bytes = ByteBuffer.wrap(trace).order(ByteOrder.LITTLE_ENDIAN);
        while (bytes.hasRemaining())
        {
            assertEquals(1 << 3 | DELIMITED, varint(bytes), "a Trace has packets only");
            final Map<String, List<Object>> packet = new TreeMap<>();
            read(part(bytes), TRACE.get(1).message, "", packet);
            packets.add(packet);
        }
        return packets;
    }

    private static void read(
        final ByteBuffer bytes, final Map<Integer, Field> schema, final String path, final Map<String, List<Object>> fields)
    {
        while (bytes.hasRemaining())
        {
            final long tag = varint(bytes);
            final Field field = schema.get((int)(tag >>> 3));
            assertNotNull(field, "no field " + (tag >>> 3) + " in " + path);
            assertEquals(field.wireType, tag & 7, field.name);
            final String name = path + field.name;
            if (field.message != null)
            {
                read(part(bytes), field.message, name + ".", fields);
            }
            else
            {
                fields.computeIfAbsent(name, key -> new ArrayList<>()).add(switch (field.wireType)
                {
                    case VARINT -> varint(bytes);
                    case FIXED64 -> bytes.getLong();
                    default -> StandardCharsets.UTF_8.decode(part(bytes)).toString();
                });
            }
        }
    }

    private static ByteBuffer part(final ByteBuffer bytes)
    {
        final int length = (int)varint(bytes);
        final ByteBuffer part = bytes.slice(bytes.position(), length).order(ByteOrder.LITTLE_ENDIAN);
        bytes.position(bytes.position() + length);
        return part;
    }

    private static long varint(final ByteBuffer bytes)
    {
        long value = 0;
        for (int shift = 0;; shift += 7)
        {
            final byte next = bytes.get();
            value |= (long)(next & 0x7F) << shift;
            if (next >= 0)
            {
                return value;
            }
        }
    }
}
