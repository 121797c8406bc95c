// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.signalbox.files.FileFault;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads JSON of a model's directory within limits, so that a hostile file ends in a sentence and not in a full heap. */
public final class ModelJson
{
    static final int MAX_NAME = 4096;
    private static final int MAX_DEPTH = 32;
    private static final int MAX_STRING = 1 << 20;
    private static final int MAX_NUMBER = 64;
    private static final JsonFactory JSON = JsonFactory.builder()
        .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
        .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).maxNameLength(MAX_NAME)
            .maxStringLength(MAX_STRING).maxNumberLength(MAX_NUMBER).build())
        .build();

    private ModelJson()
    {
    }

    /** Reads a document with a parser. */
    interface Reader
    {
        void read(JsonParser parser) throws IOException;
    }

    /** One object from a stream of UTF-8; nothing may follow it but white space. */
    static void object(final String place, final String remedy, final InputStream source, final Reader reader)
        throws IOException
    {
        try (InputStream utf8 = utf8(place, remedy, source); JsonParser parser = JSON.createParser(utf8))
        {
            if (parser.nextToken() != JsonToken.START_OBJECT)
            {
                throw new ModelException(place + " is not a JSON object", remedy);
            }
            reader.read(parser);
            if (parser.nextToken() != null)
            {
                throw new ModelException(place + " has something after its JSON object", remedy);
            }
        }
        catch (final JsonProcessingException e)
        {
            throw new ModelException(place + " is not valid JSON" + reason(e), remedy);
        }
    }

    /** The parser would guess UTF-16 and UTF-32, whose first four bytes have a zero, and other programs would not. */
    private static InputStream utf8(final String place, final String remedy, final InputStream source) throws IOException
    {
        final InputStream buffered = new BufferedInputStream(source);
        buffered.mark(Integer.BYTES);
        for (final byte first : buffered.readNBytes(Integer.BYTES))
        {
            if (first == 0)
            {
                throw new ModelException(place + " is not UTF-8", remedy);
            }
        }
        buffered.reset();
        return buffered;
    }

    private static String reason(final JsonProcessingException e)
    {
        final String line = e.getOriginalMessage().lines().findFirst().orElse("");
        final String text = printable(line.endsWith(".") ? line.substring(0, line.length() - 1) : line);
        return text.isEmpty() ? "" : " (" + text + ")";
    }

    /** A whole file as maps, lists, strings, longs, doubles, booleans and nulls. */
    static Map<String, Object> file(final Path file, final int maxBytes, final String remedy)
    {
        try
        {
            if (!Files.exists(file) || file.toString().isEmpty())
            {
                throw new ModelException((file.toString().isEmpty() ? "the file '' of the configuration" : file) +
                    " does not exist", remedy);
            }
            // A pipe would wait for a writer.
            if (!Files.isRegularFile(file))
            {
                throw new ModelException(file + " is not a regular file", remedy);
            }
            final long bytes = Files.size(file);
            if (bytes > maxBytes)
            {
                throw new ModelException(file + " has " + bytes + " bytes, above " + maxBytes, remedy);
            }
            final Map<String, Object> values = new LinkedHashMap<>();
            try (InputStream source = Files.newInputStream(file))
            {
                object(file.toString(), remedy, source, parser -> values.putAll(values(parser)));
            }
            return values;
        }
        catch (final IOException e)
        {
            throw unreadable(file, e);
        }
    }

    static ModelException unreadable(final Path file, final IOException e)
    {
        return new ModelException(file + " cannot be read (" + FileFault.reason(e) + ")",
            "give a directory with a complete checkpoint that this user may read");
    }

    /** The rest of an object that has begun: maps, lists, strings, longs, doubles, booleans and nulls. */
    public static Map<String, Object> values(final JsonParser parser) throws IOException
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
        switch (parser.currentToken())
        {
            case START_OBJECT:
                return values(parser);
            case START_ARRAY:
                final List<Object> list = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY)
                {
                    list.add(value(parser));
                }
                return list;
            case VALUE_NUMBER_INT:
                return parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER ?
                    (Object)parser.getDoubleValue() : (Object)parser.getLongValue();
            case VALUE_NUMBER_FLOAT:
                return parser.getDoubleValue();
            case VALUE_TRUE:
                return true;
            case VALUE_FALSE:
                return false;
            case VALUE_NULL:
                return null;
            default:
                return parser.getText();
        }
    }

    /** A text of a hostile file, fit for a sentence on a terminal. */
    static String printable(final String text)
    {
        final int most = 120;
        final StringBuilder printable = new StringBuilder();
        text.codePoints().limit(most)
            .map(point -> point < ' ' || point >= 0x7f ? '?' : point).forEach(printable::appendCodePoint);
        return text.length() > most ? printable + "..." : printable.toString();
    }
}
