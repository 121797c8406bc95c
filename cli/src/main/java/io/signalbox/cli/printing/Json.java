// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.printing;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;

import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;

/** Prints one JSON object, keys in the order in which they are written. */
public final class Json
{
    /** Plain decimals: 0.000000000, and not 0E-9. */
    private static final JsonFactory FACTORY =
        JsonFactory.builder().enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN).build();

    private Json()
    {
    }

    /** What is written between the braces. */
    @FunctionalInterface
    public interface Body
    {
        void write(JsonGenerator json) throws IOException;
    }

    public static void print(final PrintStream out, final Body body)
    {
        out.print(text(body));
    }

    /** The object with a line break behind it. */
    public static String text(final Body body)
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
}
