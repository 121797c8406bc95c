// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.DocumentSchema;
import io.signalbox.printing.DocumentedType.Described;
import io.signalbox.printing.DocumentedType.Kind;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

    /** As places, with the document. */
    private final Map<Class<?>, String> otherPlaces;

    private DocumentPage(final Class<?> document, final Map<Class<?>, String> otherPlaces)
    {
        this.document = document;
        this.otherPlaces = otherPlaces;
    }

    /** @param places of records in earlier sections; receives those of this section. */
    static String section(final Class<?> document, final Map<Class<?>, String> places)
    {
        final DocumentPage page = new DocumentPage(document, places);
        final String section = page.section();
        page.places.forEach((type, place) -> places.putIfAbsent(type, place + "` of `" + schema(document)));
        return section;
    }

    static String schema(final Class<?> document)
    {
        return document.getAnnotation(DocumentSchema.class).value();
    }

    private String section()
    {
        rows.put("schema", "name and version of the document");
        if (!DocumentTypes.TABLES.containsKey(document))
        {
            places.put(document, "");
        }
        fields("", DocumentedType.ofDocument(document));
        text.append("## ").append(schema(document)).append("\n\n").append(RecordComments.of(document).get(""))
            .append("\n\n| field | meaning |\n| --- | --- |\n");
        rows.forEach((field, meaning) -> text.append("| `").append(field).append("` | ").append(meaning.replace("|", "\\|"))
            .append(" |\n"));
        return text.toString();
    }

    private void fields(final String prefix, final List<Described> described)
    {
        for (final Described field : described)
        {
            add(prefix + (field.inlined() ? "" : field.name()), field.text(), field.type());
        }
    }

    private void add(final String name, final String meaning, final DocumentedType type)
    {
        if (type.kind() == Kind.MAP && type.element().kind() != Kind.OBJECT)
        {
            rows.put(name + ".*", meaning);
        }
        else if (type.kind() == Kind.MAP)
        {
            final String each = name.endsWith(".") || name.isEmpty() ? name + "*" : name + ".*";
            object(each, meaning + keys(type.type()), type.element().type());
        }
        else if (type.kind() == Kind.ARRAY)
        {
            add(name + "[]", meaning, type.element());
        }
        else if (type.kind() == Kind.OBJECT)
        {
            object(name, meaning, type.type());
        }
        else
        {
            rows.put(name, meaning + (type.kind() == Kind.WORD ? ": " + words(type.type()) : ""));
        }
    }

    private void object(final String name, final String meaning, final Class<?> type)
    {
        final String place = otherPlaces.containsKey(type) ? otherPlaces.get(type) : places.putIfAbsent(type, name);
        if (type.isAnnotationPresent(DocumentSchema.class) && !DocumentTypes.TABLES.containsKey(type))
        {
            rows.put(name + ".*", meaning + "; fields as in `" + schema(type) + "`");
        }
        else if (place != null)
        {
            rows.put(name + ".*", meaning + "; fields as in `" + place + "`");
        }
        else
        {
            rows.put(name, meaning);
            fields(name + ".", DocumentedType.fields(type));
        }
    }

    private static String words(final Class<?> type)
    {
        return DocumentedType.words(type).stream().map(word -> "`" + word + "`").collect(Collectors.joining(", "));
    }

    private static String keys(final Class<?> type)
    {
        return type != null && type.isEnum() ? ": " + words(type) : "";
    }
}
