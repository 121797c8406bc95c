// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.template;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import io.signalbox.model.ModelJson;

import java.io.IOException;
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
            final Map<String, Object> values = ModelJson.values(parser);
            if (parser.nextToken() != null)
            {
                throw new IOException("it goes on after its JSON object");
            }
            return values;
        }
    }
}
