// SPDX-License-Identifier: Apache-2.0
package io.signalbox.image;

import java.io.IOException;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Gives an object the state that another one had. Objects that are there already are filled; others are made. No object is
 * filled twice.
 */
final class ObjectReader
{
    private static final int MOST_TEXT_BYTES = 1 << 22;

    private final ImageInput in;
    private final Function<Class<?>, Object> maker;
    private final Consumer<Object> kept;
    private final ClassLoader loader;
    private final List<Object> objects = new ArrayList<>();
    private final Set<Object> filled = Collections.newSetFromMap(new IdentityHashMap<>());
    private final List<Class<?>> classes = new ArrayList<>();
    private final ClassForm.Table forms = new ClassForm.Table();
    private final PrimitiveArrays primitives = new PrimitiveArrays();

    /**
     * @param maker makes an object of a class with state; {@code null} if it makes none of this class.
     * @param kept  receives each object that stays as it is.
     */
    ObjectReader(
        final ImageInput in,
        final ClassLoader loader,
        final Function<Class<?>, Object> maker,
        final Consumer<Object> kept)
    {
        this.in = in;
        this.loader = loader;
        this.maker = maker;
        this.kept = kept;
    }

    /** @param present the object in this place so far, or {@code null}. */
    Object read(final Object present) throws IOException
    {
        final int tag = in.readUnsignedByte();
        return switch (tag)
        {
            case Tags.NULL -> null;
            case Tags.SEEN -> seen(in.readInt());
            case Tags.CONSTANT -> constant();
            case Tags.TEXT -> text();
            case Tags.KEPT ->
            {
                kept.accept(present);
                yield present;
            }
            case Tags.HERE -> further(present);
            default -> throw new UnfitImageException("it has the tag " + tag);
        };
    }

    private Object seen(final int number)
    {
        if (number < 0 || number >= objects.size())
        {
            throw new UnfitImageException("it refers to object " + number + " of " + objects.size());
        }
        return objects.get(number);
    }

    private String text() throws IOException
    {
        final int length = in.readInt();
        if (length < 0 || length > MOST_TEXT_BYTES)
        {
            throw new UnfitImageException("it has a text of " + length + " bytes");
        }
        final byte[] bytes = new byte[length];
        in.readFully(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private Object constant() throws IOException
    {
        final Class<?> type = readClass();
        final String name = in.readUTF();
        final Object[] constants = type.getEnumConstants();
        for (int i = 0; constants != null && i < constants.length; i++)
        {
            if (((Enum<?>)constants[i]).name().equals(name))
            {
                return constants[i];
            }
        }
        throw otherProgram(type.getName());
    }

    private static UnfitImageException otherProgram(final String type)
    {
        return new UnfitImageException("it was written by another version of this program, whose " + type + " is another");
    }

    private Class<?> readClass() throws IOException
    {
        final int number = in.readUnsignedShort();
        if (number < classes.size())
        {
            return classes.get(number);
        }
        final String name = in.readUTF();
        final long digest = in.readLong();
        final Class<?> type = load(name);
        if (number != classes.size() || !type.isArray() && !type.isEnum() && forms.of(type).digest() != digest)
        {
            throw otherProgram(name);
        }
        classes.add(type);
        return type;
    }

    /** Nothing but classes with state, enumerations of this program and arrays: the name comes from a file. */
    private Class<?> load(final String name)
    {
        try
        {
            final Class<?> type = Class.forName(name, false, loader);
            if (type.isArray() || type.isEnum() && name.startsWith("io.signalbox.") || !ClassForm.isKept(type))
            {
                return type;
            }
        }
        catch (final ClassNotFoundException | LinkageError e)
        {
            throw otherProgram(name);
        }
        throw otherProgram(name);
    }

    private Object further(final Object present) throws IOException
    {
        final Class<?> type = readClass();
        final boolean isThere = present != null && present.getClass() == type && !filled.contains(present);
        if (type.isArray())
        {
            return array(type, isThere ? present : null);
        }
        final Object target = isThere ? present : maker.apply(type);
        if (target == null)
        {
            throw new UnfitImageException("it has a further object of " + type.getName());
        }
        begin(target);
        for (final Field field : forms.of(type).fields())
        {
            readField(target, field);
        }
        return target;
    }

    private void begin(final Object target)
    {
        filled.add(target);
        objects.add(target);
    }

    private Object array(final Class<?> type, final Object present) throws IOException
    {
        final Class<?> component = type.getComponentType();
        final int length = in.readInt();
        final int used = component.isPrimitive() ? in.readInt() : length;
        if (used < 0 || used > length || used > in.left() / PrimitiveArrays.elementBytes(component))
        {
            throw new UnfitImageException(
                "it has " + used + " elements of an array of " + length + ", and " + in.left() + " further bytes");
        }
        final boolean fits = present != null && Array.getLength(present) == length;
        if (!fits && used < PrimitiveArrays.leastUsed(length))
        {
            throw new UnfitImageException("it has only " + used + " elements of an array of " + length);
        }
        final Object target = fits ? present : Array.newInstance(component, length);
        begin(target);
        if (target instanceof Object[] elements)
        {
            readElements(elements, present instanceof Object[] there ? there : elements);
        }
        else
        {
            primitives.read(target, used, in);
        }
        return target;
    }

    private void readElements(final Object[] elements, final Object[] former) throws IOException
    {
        for (int i = 0; i < elements.length; i++)
        {
            elements[i] = read(i < former.length ? former[i] : null);
        }
    }

    private void readField(final Object owner, final Field field) throws IOException
    {
        final Class<?> type = field.getType();
        try
        {
            if (!type.isPrimitive())
            {
                final Object present = field.get(owner);
                final Object value = read(present);
                if (value != present)
                {
                    field.set(owner, value);
                }
            }
            else if (type == double.class)
            {
                field.setDouble(owner, in.readDouble());
            }
            else if (type == float.class)
            {
                field.setFloat(owner, in.readFloat());
            }
            else
            {
                setNumber(owner, field, in.readLong());
            }
        }
        catch (final IllegalAccessException | IllegalArgumentException | ArrayStoreException e)
        {
            throw new UnfitImageException("the field " + field + " cannot have its value", e);
        }
    }

    private static void setNumber(final Object owner, final Field field, final long value) throws IllegalAccessException
    {
        final Class<?> type = field.getType();
        if (type == long.class)
        {
            field.setLong(owner, value);
        }
        else if (type == int.class)
        {
            field.setInt(owner, Math.toIntExact(value));
        }
        else if (type == boolean.class)
        {
            field.setBoolean(owner, value != 0);
        }
        else if (type == short.class)
        {
            field.setShort(owner, (short)value);
        }
        else if (type == byte.class)
        {
            field.setByte(owner, (byte)value);
        }
        else
        {
            throw new UnfitImageException("the field " + field + " has a type without an image");
        }
    }
}
