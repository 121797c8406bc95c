// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;

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

    /** Writes a finite number; otherwise null. */
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

    /** An exact decimal, without zeros at its end. */
    public static void decimal(final JsonGenerator json, final String name, final BigDecimal value) throws IOException
    {
        json.writeFieldName(name);
        json.writeNumber(value.stripTrailingZeros().toPlainString());
    }
}
