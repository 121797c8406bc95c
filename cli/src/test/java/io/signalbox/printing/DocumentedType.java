// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.printing.DocumentField.Unit;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * A type of JSON as a component of a record declares it.
 *
 * @param kind    form of the value.
 * @param name    of a scalar: its type in a schema.
 * @param type    of an object: the record, or the interface of several records; of a word: its enum.
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
     * @param inlined whether the fields of its type take its place.
     * @param text    Markdown, without a full stop.
     */
    record Described(String name, DocumentedType type, boolean inlined, String text)
    {
        boolean nullable()
        {
            return text.contains("`null`");
        }
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
                fields.addAll(fields(type.type));
            }
            else
            {
                fields.add(new Described(field.name(), type, field.inlined(), text));
            }
        }
        return fields;
    }

    /** Records of a type: itself, or the permitted ones of an interface. */
    static List<Class<?>> records(final Class<?> type)
    {
        return type.isInterface() ? Arrays.asList(type.getPermittedSubclasses()) : List.of(type);
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
