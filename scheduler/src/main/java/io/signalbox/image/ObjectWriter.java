// SPDX-License-Identifier: Apache-2.0
package io.signalbox.image;

import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;

/** Writes an object and every object with state that it leads to, each once, in the order in which fields lead to them. */
final class ObjectWriter
{
    private final DataOutputStream out;
    private final IdentityHashMap<Object, Integer> numbers = new IdentityHashMap<>();
    private final Map<Class<?>, Integer> classes = new HashMap<>();
    private final ClassForm.Table forms = new ClassForm.Table();
    private final PrimitiveArrays primitives = new PrimitiveArrays();

    ObjectWriter(final DataOutputStream out)
    {
        this.out = out;
    }

    void write(final Object value) throws IOException
    {
        final Integer number = value == null ? null : numbers.get(value);
        if (value == null)
        {
            out.writeByte(Tags.NULL);
        }
        else if (number != null)
        {
            out.writeByte(Tags.SEEN);
            out.writeInt(number);
        }
        else if (value instanceof String text)
        {
            final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            out.writeByte(Tags.TEXT);
            out.writeInt(bytes.length);
            out.write(bytes);
        }
        else if (value instanceof Enum<?> constant)
        {
            out.writeByte(Tags.CONSTANT);
            writeClass(constant.getDeclaringClass());
            out.writeUTF(constant.name());
        }
        else if (!value.getClass().isArray() && ClassForm.isKept(value.getClass()))
        {
            out.writeByte(Tags.KEPT);
        }
        else
        {
            out.writeByte(Tags.HERE);
            numbers.put(value, numbers.size());
            writeClass(value.getClass());
            writeContent(value);
        }
    }

    /** The first time a class has its name and its form, from then on its number. */
    private void writeClass(final Class<?> type) throws IOException
    {
        final Integer number = classes.putIfAbsent(type, classes.size());
        if (number != null)
        {
            out.writeShort(number);
            return;
        }
        out.writeShort(classes.size() - 1);
        out.writeUTF(type.getName());
        out.writeLong(type.isArray() || type.isEnum() ? 0 : forms.of(type).digest());
    }

    private void writeContent(final Object value) throws IOException
    {
        if (value instanceof Object[] elements)
        {
            out.writeInt(elements.length);
            for (final Object element : elements)
            {
                write(element);
            }
        }
        else if (value.getClass().isArray())
        {
            out.writeInt(Array.getLength(value));
            primitives.write(value, out);
        }
        else
        {
            for (final Field field : forms.of(value.getClass()).fields())
            {
                writeField(value, field);
            }
        }
    }

    private void writeField(final Object owner, final Field field) throws IOException
    {
        final Class<?> type = field.getType();
        try
        {
            if (!type.isPrimitive())
            {
                write(field.get(owner));
            }
            else if (type == double.class)
            {
                out.writeDouble(field.getDouble(owner));
            }
            else if (type == float.class)
            {
                out.writeFloat(field.getFloat(owner));
            }
            else
            {
                out.writeLong(type == boolean.class ? field.getBoolean(owner) ? 1 : 0 : field.getLong(owner));
            }
        }
        catch (final IllegalAccessException e)
        {
            throw new UnfitImageException("the field " + field + " cannot be read", e);
        }
    }
}
