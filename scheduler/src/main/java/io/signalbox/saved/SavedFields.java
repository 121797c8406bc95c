// SPDX-License-Identifier: Apache-2.0
package io.signalbox.saved;

import java.util.Arrays;

/**
 * The fields of a state, in records. Each method writes the value that it receives and returns it; or it reads one, in a
 * new object whose state the bytes are to become. So one method of a class both writes and reads its fields.
 *
 * <p>Each record has a length. If a record ends before a field, an older version wrote it, and the field keeps the value
 * that it has in a new object. Fields behind those that are asked for, of a newer version, are skipped. So fields may be
 * added at the end of a record, and nothing else may change.
 */
public abstract class SavedFields
{
    /** Whether fields are read; else they are written. */
    public abstract boolean isReading();

    /** A whole number. */
    public abstract long number(long value);

    /** A text, or {@code null}. */
    public abstract String text(String value);

    /**
     * Bytes of an array, without their length.
     *
     * @throws UnfitImageException if the record has fewer bytes.
     */
    public abstract void bytes(byte[] array, int offset, int length);

    /** Fields with a length of their own, within the present record or behind the last one. */
    public abstract void record(Runnable fields);

    /** Bytes that are left to read in the present record. */
    protected abstract long left();

    public final int int32(final int value)
    {
        final long number = number(value);
        if (number != (int)number)
        {
            throw new UnfitImageException("it has the number " + number + " in a place of 32 bits");
        }
        return (int)number;
    }

    /** @throws UnfitImageException if the number is not from {@code least} to {@code most}. */
    public final int int32(final int value, final int least, final int most)
    {
        final int number = int32(value);
        if (number < least || number > most)
        {
            throw new UnfitImageException("it has the number " + number + " and not one from " + least + " to " + most);
        }
        return number;
    }

    public final boolean flag(final boolean value)
    {
        return number(value ? 1 : 0) != 0;
    }

    /** The length of a list, each element of which takes at least one byte of this record. */
    public final int count(final int value)
    {
        final long count = number(value);
        if (count < 0 || isReading() && count > left())
        {
            throw new UnfitImageException("it has a list of " + count + " elements in " + left() + " bytes");
        }
        return (int)count;
    }

    /** The length of a list whose elements are records of their own, as a record. */
    public final int records(final int value)
    {
        final int[] count = {value};
        record(() -> count[0] = int32(count[0], 0, Integer.MAX_VALUE));
        return count[0];
    }

    /** The first elements of an array; returns the array, or a longer one if that has too few elements. */
    public final int[] int32s(final int[] values, final int count)
    {
        final int[] all = count > values.length ? Arrays.copyOf(values, count) : values;
        for (int i = 0; i < count; i++)
        {
            all[i] = int32(all[i]);
        }
        return all;
    }

    /** The same for numbers of 64 bits. */
    public final long[] numbers(final long[] values, final int count)
    {
        final long[] all = count > values.length ? Arrays.copyOf(values, count) : values;
        for (int i = 0; i < count; i++)
        {
            all[i] = number(all[i]);
        }
        return all;
    }

    /** The same for flags. */
    public final boolean[] flags(final boolean[] values, final int count)
    {
        final boolean[] all = count > values.length ? Arrays.copyOf(values, count) : values;
        for (int i = 0; i < count; i++)
        {
            all[i] = flag(all[i]);
        }
        return all;
    }

    /**
     * A constant, by its name: its place among the others may change.
     *
     * @param all the constants that there are.
     */
    public final <E extends Enum<E>> E constant(final E value, final E[] all)
    {
        final String name = text(value.name());
        for (final E constant : all)
        {
            if (constant.name().equals(name))
            {
                return constant;
            }
        }
        throw new UnfitImageException("it has " + name + ", which is none of " + Arrays.toString(all));
    }
}
