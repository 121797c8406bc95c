// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;

import java.io.IOException;
import java.math.BigInteger;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The fields of a JSON object that a client sent. Each getter refuses a value that is not allowed with a sentence that
 * names the field; null counts as absent. Arrays of whole numbers are {@code int[]}.
 */
final class RequestFields
{
    private static final int MAX_DEPTH = 32;
    private static final int MAX_DIGITS = 40;
    private static final int MAX_NAME = 256;
    private static final int MAX_TEXT = 64 << 20;
    private static final int MAX_SHOWN = 60;
    private static final JsonFactory FACTORY = JsonFactory.builder()
        .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).maxNumberLength(MAX_DIGITS)
            .maxNameLength(MAX_NAME).maxStringLength(MAX_TEXT).build())
        .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

    private final Map<String, Object> values;
    /** Before the name of a field in a sentence. */
    private final String prefix;

    private RequestFields(final Map<String, Object> values, final String prefix)
    {
        this.values = values;
        this.prefix = prefix;
    }

    /** @throws ApiError if the bytes are not one JSON object. */
    static RequestFields parse(final byte[] bytes)
    {
        try (JsonParser parser = FACTORY.createParser(bytes))
        {
            if (parser.nextToken() != JsonToken.START_OBJECT)
            {
                throw ApiError.badRequest(null, "the body is not a JSON object; send one");
            }
            final Map<String, Object> values = object(parser);
            if (parser.nextToken() != null)
            {
                throw ApiError.badRequest(null, "the body goes on after its JSON object; send one object");
            }
            return new RequestFields(values, "");
        }
        catch (final IOException e)
        {
            final String reason = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
            throw ApiError.badRequest(null, "the body is not valid JSON: " + shown(reason));
        }
    }

    /** The fields of a query, which are all texts. @param query {@code null}: there is none. */
    static RequestFields ofQuery(final String query)
    {
        final Map<String, Object> values = new LinkedHashMap<>();
        for (final String pair : query == null || query.isEmpty() ? new String[0] : query.split("&"))
        {
            final int equals = pair.indexOf('=');
            try
            {
                values.put(URLDecoder.decode(equals < 0 ? pair : pair.substring(0, equals), StandardCharsets.UTF_8),
                    equals < 0 ? "" : URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
            }
            catch (final IllegalArgumentException e)
            {
                throw ApiError.badRequest(null, "the query of the address is not encoded as a form; encode it");
            }
        }
        return new RequestFields(values, "");
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
            case START_ARRAY -> array(parser);
            case VALUE_STRING -> parser.getText();
            case VALUE_TRUE -> Boolean.TRUE;
            case VALUE_FALSE -> Boolean.FALSE;
            case VALUE_NULL -> null;
            case VALUE_NUMBER_INT -> parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER ?
                (Object)parser.getBigIntegerValue() : (Object)parser.getLongValue();
            default -> parser.getDoubleValue();
        };
    }

    /** A prompt may have a million tokens, so whole numbers are not made objects. */
    private static Object array(final JsonParser parser) throws IOException
    {
        int[] numbers = new int[16];
        int count = 0;
        JsonToken token = parser.nextToken();
        while (token == JsonToken.VALUE_NUMBER_INT && parser.getNumberType() == JsonParser.NumberType.INT)
        {
            numbers = count == numbers.length ? Arrays.copyOf(numbers, 2 * count) : numbers;
            numbers[count++] = parser.getIntValue();
            token = parser.nextToken();
        }
        if (token == JsonToken.END_ARRAY && count > 0)
        {
            return Arrays.copyOf(numbers, count);
        }
        final List<Object> list = new ArrayList<>();
        for (int i = 0; i < count; i++)
        {
            list.add((long)numbers[i]);
        }
        while (token != JsonToken.END_ARRAY)
        {
            list.add(value(parser));
            token = parser.nextToken();
        }
        return list;
    }

    /** As the client sent it; {@code null} if it is absent or null. */
    Object get(final String name)
    {
        return values.get(name);
    }

    /** All fields as values of {@code null}, booleans, longs, doubles, strings, lists and maps. */
    Map<String, Object> values()
    {
        final Map<String, Object> plain = new LinkedHashMap<>();
        values.forEach((name, value) -> plain.put(name, plain(value)));
        return plain;
    }

    private static Object plain(final Object value)
    {
        if (value instanceof int[])
        {
            return Arrays.stream((int[])value).asLongStream().<Object>mapToObj(number -> number).toList();
        }
        if (value instanceof List)
        {
            final List<Object> plain = new ArrayList<>();
            ((List<?>)value).forEach(item -> plain.add(plain(item)));
            return plain;
        }
        if (value instanceof Map)
        {
            final Map<String, Object> plain = new LinkedHashMap<>();
            ((Map<?, ?>)value).forEach((name, item) -> plain.put((String)name, plain(item)));
            return plain;
        }
        return value instanceof BigInteger ? (Object)((BigInteger)value).doubleValue() : value;
    }

    String nameOf(final String name)
    {
        return prefix + name;
    }

    ApiError refused(final String name, final String allowed)
    {
        return ApiError.badRequest(
            nameOf(name), nameOf(name) + " is " + shown(values.get(name)) + "; give " + allowed);
    }

    private static String shown(final Object value)
    {
        final String text = value instanceof int[] ? "a list of " + ((int[])value).length + " numbers" :
            value instanceof Map ? "an object" : String.valueOf(value);
        return text.length() > MAX_SHOWN ? text.substring(0, MAX_SHOWN) + "..." : text;
    }

    String text(final String name)
    {
        final Object value = values.get(name);
        if (value != null && !(value instanceof String))
        {
            throw refused(name, "a string");
        }
        return (String)value;
    }

    boolean flag(final String name)
    {
        final Object value = values.get(name);
        if (value != null && !(value instanceof Boolean))
        {
            throw refused(name, "true or false");
        }
        return value != null && (Boolean)value;
    }

    /** {@code null} if it is absent. */
    Long whole(final String name, final long min, final long max)
    {
        final Object value = values.get(name);
        if (value == null)
        {
            return null;
        }
        // Some clients send 16.0.
        final boolean isWhole =
            value instanceof Long || value instanceof Double && (Double)value == Math.rint((Double)value);
        if (!isWhole || ((Number)value).doubleValue() < min || ((Number)value).doubleValue() > max)
        {
            throw refused(name, "a whole number from " + min + " to " + max);
        }
        return ((Number)value).longValue();
    }

    int whole(final String name, final int min, final int max, final int absent)
    {
        final Long value = whole(name, min, max);
        return value == null ? absent : value.intValue();
    }

    double real(final String name, final double min, final double max, final double absent)
    {
        final Object value = values.get(name);
        if (value == null)
        {
            return absent;
        }
        if (!(value instanceof Number) || !(((Number)value).doubleValue() >= min && ((Number)value).doubleValue() <= max))
        {
            throw refused(name, "a number from " + min + " to " + max);
        }
        return ((Number)value).doubleValue();
    }

    /** Without fields if it is absent. */
    @SuppressWarnings("unchecked")
    RequestFields object(final String name)
    {
        final Object value = values.get(name);
        if (value != null && !(value instanceof Map))
        {
            throw refused(name, "an object");
        }
        return new RequestFields(value == null ? Map.of() : (Map<String, Object>)value, nameOf(name) + ".");
    }

    /** Empty if it is absent. */
    int[] wholes(final String name)
    {
        final Object value = values.get(name);
        if (value == null || value instanceof List && ((List<?>)value).isEmpty())
        {
            return new int[0];
        }
        if (!(value instanceof int[]))
        {
            throw refused(name, "a list of whole numbers");
        }
        return (int[])value;
    }

    /** A string, or a list of strings; empty if it is absent. */
    List<String> texts(final String name)
    {
        final Object value = values.get(name);
        if (value == null)
        {
            return List.of();
        }
        if (value instanceof String)
        {
            return List.of((String)value);
        }
        if (!(value instanceof List) || !((List<?>)value).stream().allMatch(String.class::isInstance))
        {
            throw refused(name, "a string, or a list of strings");
        }
        return ((List<?>)value).stream().map(String.class::cast).toList();
    }

    /** A list of objects; {@code null} if it is absent. */
    @SuppressWarnings("unchecked")
    List<RequestFields> objects(final String name)
    {
        final Object value = values.get(name);
        if (value == null)
        {
            return null;
        }
        if (!(value instanceof List) || !((List<?>)value).stream().allMatch(Map.class::isInstance))
        {
            throw refused(name, "a list of objects");
        }
        final List<RequestFields> objects = new ArrayList<>();
        for (final Object item : (List<?>)value)
        {
            objects.add(new RequestFields((Map<String, Object>)item, nameOf(name) + "[" + objects.size() + "]."));
        }
        return objects;
    }
}
