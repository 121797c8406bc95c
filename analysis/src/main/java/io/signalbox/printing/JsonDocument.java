// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import com.fasterxml.jackson.core.JsonGenerator;
import io.signalbox.DocumentSchema;
import io.signalbox.printing.DocumentField.Unit;

import java.io.IOException;
import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.util.Map;

/**
 * Writes records as JSON. A component is a field of its name; its type decides the form:
 *
 * <ul>
 * <li>Whole numbers as they are, a {@code double} or {@code float} as the shortest decimal that reads back to the same
 * value; {@code null} if it is not finite, which means not measured.
 * <li>Nanoseconds as exact decimals in the unit of the field's name.
 * <li>An enum constant as its {@link EnumNames#label}; paths, instants and strings as strings.
 * <li>Records and maps as objects, arrays and collections as arrays.
 * </ul>
 */
public final class JsonDocument
{
    private static final double NANOS_PER_MILLISECOND = 1e6;
    private static final double NANOS_PER_SECOND = 1e9;

    private JsonDocument()
    {
    }

    /**
     * The document of a record, its {@link DocumentSchema} first, with a line break at its end.
     */
    public static String text(final Record document)
    {
        return Json.text(document.getClass().getAnnotation(DocumentSchema.class).value(), json -> fields(json, document));
    }

    /** Writes one value. */
    public static void write(final JsonGenerator json, final Object value) throws IOException
    {
        write(json, value, Unit.NONE);
    }

    /** Writes the fields of a record into an object that is open. */
    static void fields(final JsonGenerator json, final Object of) throws IOException
    {
        for (final DocumentField field : DocumentField.of(of.getClass()))
        {
            final Object value = field.value(of);
            if (!field.inlined())
            {
                json.writeFieldName(field.name());
                write(json, value, field.unit());
            }
            else if (value instanceof final Map<?, ?> map)
            {
                entries(json, map);
            }
            else if (value != null)
            {
                fields(json, value);
            }
        }
    }

    private static void entries(final JsonGenerator json, final Map<?, ?> map) throws IOException
    {
        for (final Map.Entry<?, ?> entry : map.entrySet())
        {
            json.writeFieldName(entry.getKey() instanceof final Enum<?> key ? EnumNames.label(key) :
                entry.getKey().toString());
            write(json, entry.getValue());
        }
    }

    private static void write(final JsonGenerator json, final Object value, final Unit unit) throws IOException
    {
        if (value == null)
        {
            json.writeNull();
        }
        else if (value instanceof final Number number)
        {
            number(json, number, unit);
        }
        else if (value instanceof final Boolean truth)
        {
            json.writeBoolean(truth);
        }
        else if (value instanceof final Enum<?> constant)
        {
            json.writeString(EnumNames.label(constant));
        }
        else if (value instanceof Record)
        {
            json.writeStartObject();
            fields(json, value);
            json.writeEndObject();
        }
        else if (value instanceof final Map<?, ?> map)
        {
            json.writeStartObject();
            entries(json, map);
            json.writeEndObject();
        }
        else if (value instanceof final Iterable<?> values && !(value instanceof java.nio.file.Path))
        {
            json.writeStartArray();
            for (final Object each : values)
            {
                write(json, each);
            }
            json.writeEndArray();
        }
        else if (value.getClass().isArray())
        {
            array(json, value);
        }
        else
        {
            json.writeString(value.toString());
        }
    }

    private static void array(final JsonGenerator json, final Object array) throws IOException
    {
        json.writeStartArray();
        for (int i = 0; i < Array.getLength(array); i++)
        {
            write(json, Array.get(array, i));
        }
        json.writeEndArray();
    }

    private static void number(final JsonGenerator json, final Number number, final Unit unit) throws IOException
    {
        if (number instanceof Double || number instanceof Float)
        {
            json.writeNumber(real(number, unit));
        }
        else if (number instanceof final BigDecimal decimal)
        {
            json.writeNumber(decimal.stripTrailingZeros().toPlainString());
        }
        else if (unit == Unit.NONE)
        {
            json.writeNumber(number.longValue());
        }
        else
        {
            json.writeNumber(whole(number.longValue(), unit).stripTrailingZeros().toPlainString());
        }
    }

    private static BigDecimal whole(final long nanos, final Unit unit)
    {
        return unit == Unit.SECONDS ? Decimals.seconds(nanos) : Decimals.milliseconds(nanos);
    }

    private static String real(final Number number, final Unit unit)
    {
        final double value = switch (unit)
        {
            case NONE -> number.doubleValue();
            case MILLISECONDS -> number.doubleValue() / NANOS_PER_MILLISECOND;
            case SECONDS -> number.doubleValue() / NANOS_PER_SECOND;
        };
        if (!Double.isFinite(value))
        {
            return "null";
        }
        return number instanceof Float ? Float.toString(number.floatValue()) : Decimals.shortest(value);
    }
}
