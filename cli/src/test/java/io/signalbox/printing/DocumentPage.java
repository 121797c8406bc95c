// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.printing.DocumentedType.Described;
import io.signalbox.printing.DocumentedType.Kind;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The section of docs/json.md about one document: a row for each field of its record. */
final class DocumentPage
{
    private final StringBuilder text = new StringBuilder();
    private final Class<?> document;
    /** Fields in their order, with their meaning. */
    private final Map<String, String> rows = new LinkedHashMap<>();
    /** The first field of each record; later ones refer to it. */
    private final Map<Class<?>, String> places = new LinkedHashMap<>();

    private DocumentPage(final Class<?> document)
    {
        this.document = document;
    }

    static String section(final Class<?> document)
    {
        return new DocumentPage(document).section();
    }

    static String schema(final Class<?> document)
    {
        return document.getAnnotation(DocumentSchema.class).value();
    }

    private String section()
    {
        rows.put("schema", "name and version of the document");
        places.put(document, "");
        fields("", "", document);
        text.append("## ").append(schema(document)).append("\n\n").append(RecordComments.of(document).get(""))
            .append("\n\n| field | meaning |\n| --- | --- |\n");
        rows.forEach((field, meaning) -> text.append("| `").append(field).append("` | ").append(meaning.replace("|", "\\|"))
            .append(" |\n"));
        return text.toString();
    }

    /** @param condition ahead of each meaning; empty: none. */
    private void fields(final String prefix, final String condition, final Class<?> record)
    {
        for (final Described field : DocumentedType.fields(record))
        {
            add(prefix + (field.inlined() ? "" : field.name()), condition, field.text(), field.type());
        }
    }

    private void add(final String name, final String condition, final String meaning, final DocumentedType type)
    {
        if (type.kind() == Kind.MAP && type.element().kind() != Kind.OBJECT)
        {
            row(name + ".*", condition + meaning);
        }
        else if (type.kind() == Kind.MAP)
        {
            final String each = name.endsWith(".") || name.isEmpty() ? name + "*" : name + ".*";
            object(each, condition, meaning + keys(type.type()), type.element().type());
        }
        else if (type.kind() == Kind.ARRAY)
        {
            add(name + "[]", condition, meaning, type.element());
        }
        else if (type.kind() == Kind.OBJECT)
        {
            object(name, condition, meaning, type.type());
        }
        else
        {
            row(name, condition + meaning + (type.kind() == Kind.WORD ? ": " + words(type.type()) : ""));
        }
    }

    private void object(final String name, final String condition, final String meaning, final Class<?> type)
    {
        final String place = places.putIfAbsent(type, name);
        if (type.isAnnotationPresent(DocumentSchema.class))
        {
            row(name + ".*", condition + meaning + "; fields as in `" + schema(type) + "`");
        }
        else if (place != null)
        {
            row(name + ".*", condition + meaning + "; fields as in `" + place + "`");
        }
        else
        {
            row(name, condition + meaning);
            for (final Class<?> record : DocumentedType.records(type))
            {
                fields(name + ".", condition + (type.isInterface() ? kind(record) : ""), record);
            }
        }
    }

    /** A field of several kinds of records has the meanings of all. */
    private void row(final String name, final String meaning)
    {
        rows.merge(name, meaning, (one, other) ->
        {
            final Set<String> meanings = new LinkedHashSet<>(Arrays.asList(one.split("\\. ")));
            meanings.add(other);
            return String.join(". ", meanings);
        });
    }

    private static String kind(final Class<?> record)
    {
        return record.getSimpleName().replaceAll("(?<=[a-z])([A-Z])", "-$1").toLowerCase(java.util.Locale.ROOT) + ": ";
    }

    private static String words(final Class<?> type)
    {
        return Arrays.stream(type.getEnumConstants()).map(constant -> "`" + EnumNames.label((Enum<?>)constant) + "`")
            .collect(Collectors.joining(", "));
    }

    private static String keys(final Class<?> type)
    {
        return type != null && type.isEnum() ? ": " + words(type) : "";
    }
}
