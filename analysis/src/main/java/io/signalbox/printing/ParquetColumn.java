// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;

/** A column of a Parquet file: its values since the last row group, as one page of it holds them. */
final class ParquetColumn
{
    /** The type of a column. A value that is absent is {@code null}, except in lists. */
    enum Type
    {
        /** A {@link Long}. */
        INT64(2, -1),
        /** A {@link Double}. */
        DOUBLE(5, -1),
        /** A {@link String}. */
        TEXT(6, 0),
        /** Values of a list of 16-bit integers. */
        INT16S(1, 16),
        /** Values of a list of floats. */
        FLOATS(4, -1);

        /** Parquet's number of the type of a value. */
        final int physical;
        /** Parquet's number of the meaning of a value; -1: none. */
        final int converted;

        Type(final int physical, final int converted)
        {
            this.physical = physical;
            this.converted = converted;
        }

        boolean isList()
        {
            return this == INT16S || this == FLOATS;
        }
    }

    final String name;
    final Type type;
    private ByteBuffer values = ByteBuffer.allocate(1 << 12).order(ByteOrder.LITTLE_ENDIAN);
    /** A bit for each value: of a list whether it continues the list, else whether it is there. */
    private byte[] levels = new byte[1 << 9];
    private int count;
    private int absent;

    ParquetColumn(final String name, final Type type)
    {
        this.name = name;
        this.type = type;
    }

    /** @param value {@code null}: absent. */
    void add(final Object value)
    {
        level(value != null);
        if (value == null)
        {
            absent++;
            return;
        }
        switch (type)
        {
            case INT64 -> room(Long.BYTES).putLong((Long)value);
            case DOUBLE -> room(Double.BYTES).putDouble((Double)value);
            case TEXT ->
            {
                final byte[] utf8 = ((String)value).getBytes(StandardCharsets.UTF_8);
                room(Integer.BYTES + utf8.length).putInt(utf8.length).put(utf8);
            }
            case INT16S, FLOATS -> throw new IllegalArgumentException("the values of column " + name + " are lists");
        }
    }

    /** @param continues whether the value is in the list of the one ahead of it. */
    void addInt16(final boolean continues, final int value)
    {
        level(continues);
        room(Integer.BYTES).putInt(value);
    }

    /** @param continues whether the value is in the list of the one ahead of it. */
    void addFloat(final boolean continues, final float value)
    {
        level(continues);
        room(Float.BYTES).putFloat(value);
    }

    private void level(final boolean set)
    {
        if (count >>> 3 == levels.length)
        {
            levels = Arrays.copyOf(levels, 2 * levels.length);
        }
        final int bit = 1 << (count & 7);
        levels[count >>> 3] = (byte)(set ? levels[count >>> 3] | bit : levels[count >>> 3] & ~bit);
        count++;
    }

    private ByteBuffer room(final int more)
    {
        if (values.remaining() < more)
        {
            final int needed = values.position() + more;
            values = ByteBuffer.allocate(Math.max(2 * values.capacity(), needed)).order(ByteOrder.LITTLE_ENDIAN)
                .put(values.flip());
        }
        return values;
    }

    /** Values since the last row group, absent ones included. */
    int count()
    {
        return count;
    }

    /** Bytes of the page before compression, about. */
    int bytes()
    {
        return values.position() + count / Byte.SIZE;
    }

    /** Levels and values as they are in a page before compression. */
    byte[] page()
    {
        final ByteBuffer page =
            ByteBuffer.allocate(values.position() + count / Byte.SIZE + 64).order(ByteOrder.LITTLE_ENDIAN);
        if (type.isList())
        {
            packed(page);
            repeated(page);
        }
        else if (absent == 0)
        {
            repeated(page);
        }
        else
        {
            packed(page);
        }
        page.put(values.array(), 0, values.position());
        return Arrays.copyOf(page.array(), page.position());
    }

    /** Every value has level 1: one run. */
    private void repeated(final ByteBuffer page)
    {
        final int start = page.position();
        page.putInt(0);
        varint(page, count << 1);
        page.put((byte)1);
        page.putInt(start, page.position() - start - Integer.BYTES);
    }

    /** A bit per value, in groups of eight. */
    private void packed(final ByteBuffer page)
    {
        final int start = page.position();
        final int groups = (count + Byte.SIZE - 1) / Byte.SIZE;
        page.putInt(0);
        varint(page, groups << 1 | 1);
        page.put(levels, 0, groups);
        page.putInt(start, page.position() - start - Integer.BYTES);
    }

    private static void varint(final ByteBuffer page, final int value)
    {
        int rest = value;
        while ((rest & ~0x7F) != 0)
        {
            page.put((byte)(rest & 0x7F | 0x80));
            rest >>>= 7;
        }
        page.put((byte)rest);
    }

    static byte[] compressed(final byte[] page)
    {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream(page.length / 2 + 64);
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes))
        {
            gzip.write(page);
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** Forgets the values. */
    void clear()
    {
        values.clear();
        count = 0;
        absent = 0;
    }
}
