// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import io.signalbox.state.FoldedMatches;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.HexFormat;

/** Writes one JSON document, keys in the order in which they are written; docs/json.md describes the fields. */
public final class Json
{
    /** Escapes also the control characters that JSON allows: what a file names must not steer a terminal. */
    public static final JsonFactory FACTORY = new JsonFactory().setCharacterEscapes(new ControlEscapes());

    private static final class ControlEscapes extends CharacterEscapes
    {
        private static final long serialVersionUID = 1;
        private static final int DEL = 0x7F;

        private final int[] escapes = standardAsciiEscapesForJSON();

        private ControlEscapes()
        {
            escapes[DEL] = ESCAPE_STANDARD;
        }

        @Override
        public int[] getEscapeCodesForAscii()
        {
            return escapes;
        }

        @Override
        public SerializableString getEscapeSequence(final int character)
        {
            return Character.isISOControl(character) ?
                new SerializedString("\\u00" + HexFormat.of().toHexDigits((byte)character)) : null;
        }
    }

    private Json()
    {
    }

    /** Writes the fields of an object. */
    @FunctionalInterface
    public interface Body
    {
        void write(JsonGenerator json) throws IOException;
    }

    /**
     * The document with a line break at its end.
     *
     * @param schema name and version; the version rises if a field changes its meaning or leaves.
     */
    public static String text(final String schema, final Body body)
    {
        final StringWriter text = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(text))
        {
            final DefaultIndenter indenter = new DefaultIndenter("  ", "\n");
            final DefaultPrettyPrinter printer = new DefaultPrettyPrinter();
            printer.indentObjectsWith(indenter);
            printer.indentArraysWith(indenter);
            json.setPrettyPrinter(printer);
            json.writeStartObject();
            json.writeStringField("schema", schema);
            body.write(json);
            json.writeEndObject();
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
        return text.append('\n').toString();
    }

    public static void object(final JsonGenerator json, final String name, final Body body) throws IOException
    {
        json.writeObjectFieldStart(name);
        body.write(json);
        json.writeEndObject();
    }

    /** The shortest decimal that reads back to the same double; {@code null} if the value is not finite. */
    public static void real(final JsonGenerator json, final String name, final double value) throws IOException
    {
        json.writeFieldName(name);
        real(json, value);
    }

    /** As {@link #real(JsonGenerator, String, double)}, in an array. */
    public static void real(final JsonGenerator json, final double value) throws IOException
    {
        if (Double.isFinite(value))
        {
            json.writeNumber(Decimals.shortest(value));
        }
        else
        {
            json.writeNull();
        }
    }

    /** A number of cached tokens; {@code null} if it is {@link FoldedMatches#NOT_RECORDED}. */
    static void recorded(final JsonGenerator json, final String name, final long tokens) throws IOException
    {
        if (tokens == FoldedMatches.NOT_RECORDED)
        {
            json.writeNullField(name);
        }
        else
        {
            json.writeNumberField(name, tokens);
        }
    }

    /** An exact decimal, without zeros at its end. */
    public static void decimal(final JsonGenerator json, final String name, final BigDecimal value) throws IOException
    {
        json.writeFieldName(name);
        json.writeNumber(value.stripTrailingZeros().toPlainString());
    }
}
