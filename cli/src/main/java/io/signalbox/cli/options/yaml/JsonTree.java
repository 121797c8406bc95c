// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options.yaml;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A JSON text as maps, lists, texts, numbers and truth values, like those of a YAML file. */
final class JsonTree
{
    private static final JsonFactory JSON =
        JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

    private JsonTree()
    {
    }

    /** @throws IOException if the text is not JSON, has a key twice, or has more levels. */
    static Object of(final String text, final int maxDepth) throws IOException
    {
        try (JsonParser json = JSON.createParser(text))
        {
            json.nextToken();
            final Object value = value(json, maxDepth);
            if (json.nextToken() != null)
            {
                throw new IOException("it goes on after its end");
            }
            return value;
        }
    }

    private static Object value(final JsonParser json, final int depth) throws IOException
    {
        return switch (json.currentToken())
        {
            case START_OBJECT -> map(json, below(depth));
            case START_ARRAY -> list(json, below(depth));
            case VALUE_STRING -> json.getText();
            case VALUE_NUMBER_INT -> json.getNumberValue();
            case VALUE_NUMBER_FLOAT -> json.getDoubleValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            default -> null;
        };
    }

    private static int below(final int depth) throws IOException
    {
        if (depth == 0)
        {
            throw new IOException("it has more levels");
        }
        return depth - 1;
    }

    private static Map<String, Object> map(final JsonParser json, final int depth) throws IOException
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        while (json.nextToken() != JsonToken.END_OBJECT)
        {
            final String name = json.currentName();
            json.nextToken();
            map.put(name, value(json, depth));
        }
        return map;
    }

    private static List<Object> list(final JsonParser json, final int depth) throws IOException
    {
        final List<Object> list = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY)
        {
            list.add(value(json, depth));
        }
        return list;
    }
}
