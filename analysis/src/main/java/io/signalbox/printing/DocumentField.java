// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.JsonInline;
import io.signalbox.JsonName;
import io.signalbox.JsonNull;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;

/**
 * A component of a record as the field of a document.
 *
 * @param name     of the field.
 * @param unit     unit of the field; the component is in nanoseconds unless it is {@code NONE}.
 * @param inlined  whether the fields of the component take its place; there are none if it is {@code null}.
 * @param absent   the number that stands for an absent value; {@code null}: none does.
 * @param accessor of the component.
 */
record DocumentField(String name, Unit unit, boolean inlined, Long absent, Method accessor)
{
    private static final String NANOS = "Nanos";

    private static final ClassValue<List<DocumentField>> OF_RECORDS = new ClassValue<>()
    {
        @Override
        protected List<DocumentField> computeValue(final Class<?> type)
        {
            return Arrays.stream(type.getRecordComponents()).map(DocumentField::of).toList();
        }
    };

    /** The unit in which a document has a time, which is the end of the name of its field. */
    enum Unit
    {
        NONE(""), MILLISECONDS("Ms"), SECONDS("Seconds");

        private final String ending;

        Unit(final String ending)
        {
            this.ending = ending;
        }
    }

    /** The fields of a record, in the order of its components. */
    static List<DocumentField> of(final Class<?> type)
    {
        return OF_RECORDS.get(type);
    }

    private static DocumentField of(final RecordComponent component)
    {
        final JsonName named = component.getAnnotation(JsonName.class);
        final String own = component.getName();
        final boolean isTime = own.equals("nanos") || own.endsWith(NANOS);
        final String name = named != null ? named.value() :
            isTime ? own.substring(0, own.length() - NANOS.length()) + Unit.MILLISECONDS.ending : own;
        final JsonNull absent = component.getAnnotation(JsonNull.class);
        final Method accessor = component.getAccessor();
        accessor.setAccessible(true);
        return new DocumentField(name, isTime ? unit(name) : Unit.NONE, component.isAnnotationPresent(JsonInline.class),
            absent == null ? null : Long.valueOf(absent.value()), accessor);
    }

    private static Unit unit(final String name)
    {
        if (name.equals("seconds") || name.endsWith(Unit.SECONDS.ending))
        {
            return Unit.SECONDS;
        }
        return name.endsWith(Unit.MILLISECONDS.ending) ? Unit.MILLISECONDS : Unit.NONE;
    }

    /** {@code null} if the value is absent. */
    Object value(final Object of)
    {
        try
        {
            final Object value = accessor.invoke(of);
            return absent != null && ((Number)value).longValue() == absent ? null : value;
        }
        catch (final IllegalAccessException | InvocationTargetException e)
        {
            throw new IllegalStateException(accessor + " was refused", e);
        }
    }
}
