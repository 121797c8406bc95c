// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import io.signalbox.printing.DocumentedType.Described;

import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The JSON Schema of a document: an object for each record, with the fields that it always has. */
final class SchemaFile
{
    private final JsonGenerator json;
    private final Set<Class<?>> defined = new LinkedHashSet<>();
    private final ArrayDeque<Class<?>> open = new ArrayDeque<>();

    private SchemaFile(final JsonGenerator json)
    {
        this.json = json;
    }

    /** Such as {@code simulate.schema.json}. */
    static String name(final Class<?> document)
    {
        return DocumentPage.schema(document).replaceFirst("signalbox\\.([a-z-]+)/\\d+", "$1.schema.json");
    }

    static String text(final Class<?> document) throws IOException
    {
        final StringWriter text = new StringWriter();
        try (JsonGenerator json = Json.FACTORY.createGenerator(text))
        {
            final DefaultPrettyPrinter printer = new DefaultPrettyPrinter();
            printer.indentObjectsWith(new DefaultIndenter(" ", "\n"));
            json.setPrettyPrinter(printer);
            new SchemaFile(json).write(document);
        }
        return text.append('\n').toString();
    }

    private void write(final Class<?> document) throws IOException
    {
        json.writeStartObject();
        json.writeStringField("$schema", "https://json-schema.org/draft/2020-12/schema");
        json.writeStringField("$id", "urn:" + DocumentPage.schema(document).replaceAll("[./]", ":"));
        object(document, DocumentedType.ofDocument(document), DocumentPage.schema(document));
        json.writeObjectFieldStart("$defs");
        for (Class<?> next = open.poll(); next != null; next = open.poll())
        {
            json.writeObjectFieldStart(next.getSimpleName());
            object(next, DocumentedType.fields(next), null);
            json.writeEndObject();
        }
        json.writeEndObject();
        json.writeEndObject();
    }

    private void object(final Class<?> record, final List<Described> fields, final String schema) throws IOException
    {
        final List<String> required = new ArrayList<>();
        json.writeStringField("type", "object");
        json.writeStringField("description", RecordComments.of(record).get(""));
        json.writeObjectFieldStart("properties");
        if (schema != null)
        {
            json.writeObjectFieldStart("schema");
            json.writeStringField("const", schema);
            json.writeEndObject();
            required.add("schema");
        }
        Described others = null;
        for (final Described field : fields)
        {
            if (field.inlined())
            {
                others = field;
                continue;
            }
            json.writeObjectFieldStart(field.name());
            json.writeStringField("description", field.text());
            type(field.type(), field.nullable());
            json.writeEndObject();
            if (!field.optional())
            {
                required.add(field.name());
            }
        }
        json.writeEndObject();
        if (others != null)
        {
            json.writeObjectFieldStart("additionalProperties");
            type(others.type().element(), false);
            json.writeEndObject();
        }
        strings("required", required);
    }

    private void strings(final String name, final List<String> values) throws IOException
    {
        json.writeArrayFieldStart(name);
        for (final String value : values)
        {
            json.writeString(value);
        }
        json.writeEndArray();
    }

    private void type(final DocumentedType type, final boolean nullable) throws IOException
    {
        switch (type.kind())
        {
            case SCALAR -> name(type.name(), nullable);
            case WORD ->
            {
                json.writeArrayFieldStart("enum");
                for (final String word : DocumentedType.words(type.type()))
                {
                    json.writeString(word);
                }
                if (nullable)
                {
                    json.writeNull();
                }
                json.writeEndArray();
            }
            case OBJECT -> objectOrNull(type.type(), nullable);
            case MAP ->
            {
                name("object", nullable);
                json.writeObjectFieldStart("additionalProperties");
                type(type.element(), nullable);
                json.writeEndObject();
            }
            case ARRAY ->
            {
                name("array", nullable);
                json.writeObjectFieldStart("items");
                type(type.element(), nullable);
                json.writeEndObject();
            }
        }
    }

    private void name(final String name, final boolean nullable) throws IOException
    {
        if (nullable)
        {
            strings("type", Arrays.asList(name, "null"));
        }
        else
        {
            json.writeStringField("type", name);
        }
    }

    private void objectOrNull(final Class<?> type, final boolean nullable) throws IOException
    {
        if (!nullable)
        {
            reference(type);
            return;
        }
        json.writeArrayFieldStart("anyOf");
        json.writeStartObject();
        reference(type);
        json.writeEndObject();
        json.writeStartObject();
        json.writeStringField("type", "null");
        json.writeEndObject();
        json.writeEndArray();
    }

    private void reference(final Class<?> type) throws IOException
    {
        if (defined.add(type))
        {
            open.add(type);
        }
        json.writeStringField("$ref", "#/$defs/" + type.getSimpleName());
    }
}
