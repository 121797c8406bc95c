// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** Reads JSON into paths and texts: {@code latency.ttft.p50Ms} and {@code prefixCache.perRank[0].rank}. */
public final class JsonText
{
    private JsonText()
    {
    }

    public static Map<String, String> leaves(final String text)
    {
        final Map<String, String> leaves = new LinkedHashMap<>();
        try (JsonParser parser = new JsonFactory().createParser(text))
        {
            parser.nextToken();
            read(parser, "", leaves);
            if (parser.nextToken() != null)
            {
                throw new IllegalArgumentException("something follows the JSON object");
            }
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
        return leaves;
    }

    private static void read(final JsonParser parser, final String path, final Map<String, String> leaves)
        throws IOException
    {
        if (parser.currentToken() == JsonToken.START_OBJECT)
        {
            while (parser.nextToken() != JsonToken.END_OBJECT)
            {
                final String name = path.isEmpty() ? parser.currentName() : path + "." + parser.currentName();
                parser.nextToken();
                read(parser, name, leaves);
            }
        }
        else if (parser.currentToken() == JsonToken.START_ARRAY)
        {
            for (int i = 0; parser.nextToken() != JsonToken.END_ARRAY; i++)
            {
                read(parser, path + "[" + i + "]", leaves);
            }
        }
        else
        {
            leaves.put(path, parser.getText());
        }
    }
}
