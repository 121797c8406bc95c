// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.template;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON as values that a template sees: {@code null}, booleans, longs, doubles, strings, lists and maps. */
public final class JsonValues
{
    private static final JsonFactory FACTORY = JsonFactory.builder().streamReadConstraints(
        StreamReadConstraints.builder().maxNestingDepth(64).maxNumberLength(40).build()).build();

    private JsonValues()
    {
    }

    /** @throws IOException if the bytes are not one JSON object. */
    public static Map<String, Object> object(final byte[] json) throws IOException
    {
        try (JsonParser parser = FACTORY.createParser(json))
        {
            if (parser.nextToken() != JsonToken.START_OBJECT)
            {
                throw new IOException("it is not a JSON object");
            }
            final Map<String, Object> values = object(parser);
            if (parser.nextToken() != null)
            {
                throw new IOException("it goes on after its JSON object");
            }
            return values;
        }
    }

    private static Map<String, Object> object(final JsonParser parser) throws IOException
    {
        final Map<String, Object> values = new LinkedHashMap<>();
        while (parser.nextToken() == JsonToken.FIELD_NAME)
        {
            final String name = parser.currentName();
            parser.nextToken();
            values.put(name, value(parser));
        }
        return values;
    }

    private static Object value(final JsonParser parser) throws IOException
    {
        return switch (parser.currentToken())
        {
            case START_OBJECT -> object(parser);
            case START_ARRAY ->
            {
                final List<Object> list = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY)
                {
                    list.add(value(parser));
                }
                yield list;
            }
            case VALUE_STRING -> parser.getText();
            case VALUE_TRUE -> Boolean.TRUE;
            case VALUE_FALSE -> Boolean.FALSE;
            case VALUE_NULL -> null;
            case VALUE_NUMBER_INT -> parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER ?
                (Object)parser.getDoubleValue() : (Object)parser.getLongValue();
            default -> parser.getDoubleValue();
        };
    }
}
