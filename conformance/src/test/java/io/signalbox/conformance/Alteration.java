// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Records with one field that is not as recorded; the record that is given stays as it is. */
final class Alteration
{
    private Alteration()
    {
    }

    /** Whether there is a value that {@link #change} can change. */
    static boolean isThere(final JsonNode value)
    {
        return !value.isMissingNode() && !value.isNull() && (!value.isArray() || !value.isEmpty());
    }

    /** With another value: one element fewer, or one more if there is none, or a value of the same kind. */
    static JsonNode change(final JsonNode record, final String pointer)
    {
        final JsonNode copy = record.deepCopy();
        final JsonNode value = copy.at(pointer);
        final JsonNode holder = holder(copy, pointer);
        if (value.isArray() && value.isEmpty())
        {
            ((ArrayNode)value).add(1);
        }
        else if (value.isArray())
        {
            ((ArrayNode)value).remove(value.size() - 1);
        }
        else if (holder.isArray())
        {
            ((ArrayNode)holder).set(Integer.parseInt(name(pointer)), value.asLong() + 1);
        }
        else if (value.isTextual())
        {
            ((ObjectNode)holder).put(name(pointer), "00000000");
        }
        else if (value.isBoolean())
        {
            ((ObjectNode)holder).put(name(pointer), !value.asBoolean());
        }
        else
        {
            ((ObjectNode)holder).put(name(pointer), value.asLong() + 1);
        }
        return copy;
    }

    static JsonNode remove(final JsonNode record, final String pointer)
    {
        final JsonNode copy = record.deepCopy();
        ((ObjectNode)holder(copy, pointer)).remove(name(pointer));
        return copy;
    }

    static JsonNode add(final JsonNode record, final String pointer)
    {
        final JsonNode copy = record.deepCopy();
        ((ObjectNode)holder(copy, pointer)).put(name(pointer), 1);
        return copy;
    }

    static JsonNode set(final JsonNode record, final String pointer, final String value)
    {
        final JsonNode copy = record.deepCopy();
        ((ObjectNode)holder(copy, pointer)).put(name(pointer), value);
        return copy;
    }

    private static JsonNode holder(final JsonNode record, final String pointer)
    {
        return record.at(pointer.substring(0, pointer.lastIndexOf('/')));
    }

    private static String name(final String pointer)
    {
        return pointer.substring(pointer.lastIndexOf('/') + 1);
    }
}
