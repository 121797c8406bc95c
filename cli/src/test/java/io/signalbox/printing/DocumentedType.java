// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.printing.DocumentField.Unit;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A type of JSON as a component of a record declares it.
 *
 * @param kind    form of the value.
 * @param name    of a scalar: its type in a schema.
 * @param type    of an object: its record; of an inlined one also an interface of records; of a word and of keys: the enum.
 * @param element of an array and of a map: its values.
 */
record DocumentedType(Kind kind, String name, Class<?> type, DocumentedType element)
{
    /** The form of a value. */
    enum Kind
    {
        SCALAR, WORD, OBJECT, MAP, ARRAY
    }

    /**
     * A field with its description.
     *
     * @param inlined  whether the values of a map take its place.
     * @param optional whether some documents do not have the field.
     * @param text     Markdown, without a full stop.
     */
    record Described(String name, DocumentedType type, boolean inlined, boolean optional, String text)
    {
        private Described ofKind(final String kind)
        {
            return new Described(name, type, inlined, true, kind + text);
        }

        boolean nullable()
        {
            return text.contains("`null`");
        }
    }

    /** The fields of a document; of the record of a row, those of its table. */
    static List<Described> ofDocument(final Class<?> document)
    {
        return DocumentTypes.TABLES.containsKey(document) ? ofTable(document, DocumentTypes.TABLES.get(document)) :
            fields(document);
    }

    private static List<Described> ofTable(final Class<?> row, final Class<? extends TableDocument.End> end)
    {
        final Map<String, String> texts = RecordComments.of(TableDocument.class);
        final List<Described> fields = new ArrayList<>(List.of(
            new Described("path", new DocumentedType(Kind.SCALAR, "string", null, null), false, false, texts.get("path")),
            new Described("rows", new DocumentedType(Kind.ARRAY, null, null,
                new DocumentedType(Kind.OBJECT, null, row, null)), false, false, texts.get("rows")),
            new Described("count", new DocumentedType(Kind.SCALAR, "integer", null, null), false, false,
                texts.get("count"))));
        fields.addAll(fields(end));
        return fields;
    }

    /** The fields of a record; an inlined record is replaced by its own fields. */
    static List<Described> fields(final Class<?> record)
    {
        final List<Described> fields = new ArrayList<>();
        final Map<String, String> texts = RecordComments.of(record);
        for (final DocumentField field : DocumentField.of(record))
        {
            final DocumentedType type = of(field.accessor().getGenericReturnType(), field.unit());
            final String text = texts.get(field.accessor().getName());
            if (text == null)
            {
                throw new AssertionError("no @param " + field.accessor().getName() + " of " + record.getName());
            }
            if (field.inlined() && type.kind == Kind.OBJECT)
            {
                fields.addAll(inlined(type.type, text.contains("`null`")));
            }
            else
            {
                fields.add(new Described(field.name(), type, field.inlined(), false, text));
            }
        }
        return fields;
    }

    /** Of an interface: the fields of each record, with its name ahead of the text. */
    private static List<Described> inlined(final Class<?> type, final boolean optional)
    {
        if (!type.isInterface())
        {
            return fields(type).stream().map(field -> optional ? field.ofKind("") : field).toList();
        }
        final Map<String, Described> fields = new LinkedHashMap<>();
        for (final Class<?> record : type.getPermittedSubclasses())
        {
            for (final Described field : fields(record))
            {
                fields.merge(field.name, field.ofKind(kind(record) + ": "), (one, other) -> one.ofKind(other.text + "; "));
            }
        }
        return List.copyOf(fields.values());
    }

    /** The constants of an enum by their labels; those of the codecs have two that no journal has. */
    static List<String> words(final Class<?> type)
    {
        return Arrays.stream(type.getEnumConstants()).map(constant -> EnumNames.label((Enum<?>)constant))
            .filter(label -> !label.equals("null-val") && !label.equals("sbe-unknown")).toList();
    }

    private static String kind(final Class<?> record)
    {
        return record.getSimpleName().replaceAll("(?<=[a-z])([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    private static DocumentedType of(final Type type, final Unit unit)
    {
        if (type instanceof final ParameterizedType generic)
        {
            final Type[] arguments = generic.getActualTypeArguments();
            if (Map.class.isAssignableFrom((Class<?>)generic.getRawType()))
            {
                return new DocumentedType(Kind.MAP, null, arguments[0] instanceof final Class<?> key ? key : null,
                    of(arguments[1], unit));
            }
            if (Iterable.class.isAssignableFrom((Class<?>)generic.getRawType()))
            {
                return new DocumentedType(Kind.ARRAY, null, null, of(arguments[0], unit));
            }
            return of(generic.getRawType(), unit);
        }
        final Class<?> plain = (Class<?>)type;
        if (plain.isArray())
        {
            return new DocumentedType(Kind.ARRAY, null, null, of(plain.getComponentType(), unit));
        }
        if (plain.isRecord() || plain.isSealed())
        {
            return new DocumentedType(Kind.OBJECT, null, plain, null);
        }
        return plain.isEnum() ? new DocumentedType(Kind.WORD, "string", plain, null) :
            new DocumentedType(Kind.SCALAR, scalar(plain, unit), null, null);
    }

    private static String scalar(final Class<?> type, final Unit unit)
    {
        final Collection<Class<?>> whole =
            List.of(byte.class, short.class, int.class, long.class, Integer.class, Long.class);
        if (whole.contains(type))
        {
            return unit == Unit.NONE ? "integer" : "number";
        }
        if (type == double.class || type == float.class || Number.class.isAssignableFrom(type))
        {
            return "number";
        }
        return type == boolean.class || type == Boolean.class ? "boolean" : "string";
    }
}
