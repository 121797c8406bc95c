// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * One JSON object of a trace as plain values: integers as longs, because block hashes reach 2^63 − 1, and arrays as
 * lists, so that a field can be compared as a whole.
 */
final class TraceRecord
{
    private final Map<String, Object> fields;
    private final Set<String> read = new TreeSet<>();

    private TraceRecord(final Map<String, Object> fields)
    {
        this.fields = fields;
    }

    static TraceRecord of(final JsonNode object)
    {
        if (!object.isObject())
        {
            throw new IllegalArgumentException("not a JSON object: " + object);
        }
        return of(plain(object));
    }

    private static Object plain(final JsonNode node)
    {
        if (node.isObject())
        {
            final Map<String, Object> map = new LinkedHashMap<>();
            node.properties().forEach(field -> map.put(field.getKey(), plain(field.getValue())));
            return map;
        }
        if (node.isArray())
        {
            final List<Object> list = new ArrayList<>();
            node.forEach(element -> list.add(plain(element)));
            return list;
        }
        return node.isNull() ? null : node.isBoolean() ? (Object)node.booleanValue() :
            node.isIntegralNumber() && node.canConvertToLong() ? (Object)node.longValue() : node.asText();
    }

    boolean has(final String field)
    {
        return fields.containsKey(field);
    }

    /** Refuses other fields than these: a checker that passes over one would check less than was recorded. */
    void only(final String what, final Set<String> required, final Set<String> optional)
    {
        final Set<String> unknown = new TreeSet<>(fields.keySet());
        unknown.removeAll(required);
        unknown.removeAll(optional);
        Divergence.check("fields of " + what + " that are not known", Set.of(), unknown);
        final Set<String> missing = new TreeSet<>(required);
        missing.removeAll(fields.keySet());
        Divergence.check("fields of " + what + " that are missing", Set.of(), missing);
    }

    void only(final String what, final Set<String> required)
    {
        only(what, required, Set.of());
    }

    /** Fields that nobody has asked for yet. */
    Set<String> unread()
    {
        final Set<String> unread = new TreeSet<>(fields.keySet());
        unread.removeAll(read);
        return unread;
    }

    Object get(final String field)
    {
        if (!has(field))
        {
            throw new IllegalArgumentException("the record has no field " + field + ": " + fields.keySet());
        }
        read.add(field);
        return fields.get(field);
    }

    String text(final String field)
    {
        return (String)get(field);
    }

    long number(final String field)
    {
        return (Long)get(field);
    }

    int integer(final String field)
    {
        return Math.toIntExact(number(field));
    }

    boolean flag(final String field)
    {
        return (Boolean)get(field);
    }

    List<?> list(final String field)
    {
        return (List<?>)get(field);
    }

    int[] integers(final String field)
    {
        return integers(list(field));
    }

    static int[] integers(final List<?> values)
    {
        return values.stream().mapToInt(value -> Math.toIntExact((Long)value)).toArray();
    }

    long[] longs(final String field)
    {
        return list(field).stream().mapToLong(value -> (Long)value).toArray();
    }

    TraceRecord record(final String field)
    {
        return of(get(field));
    }

    List<TraceRecord> records(final String field)
    {
        return list(field).stream().map(TraceRecord::of).toList();
    }

    @SuppressWarnings("unchecked")
    private static TraceRecord of(final Object value)
    {
        return value == null ? null : new TraceRecord((Map<String, Object>)value);
    }
}
