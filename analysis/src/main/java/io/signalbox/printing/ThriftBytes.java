// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Structures of Thrift's compact protocol while they are written. Fields of a structure come by ascending number. */
final class ThriftBytes
{
    /** Types of the elements of a list. */
    static final int INT32 = 5;
    static final int TEXT = 8;
    static final int STRUCT = 12;

    private static final int INT64 = 6;
    private static final int LIST = 9;
    private static final int MOST_SHORT = 15;
    private static final int DEEPEST = 16;
    private static final int LONGEST_VARINT = 10;

    private byte[] bytes = new byte[512];
    private int length;
    private final int[] lastFields = new int[DEEPEST];
    private int depth;

    ThriftBytes clear()
    {
        length = 0;
        depth = 0;
        lastFields[0] = 0;
        return this;
    }

    byte[] bytes()
    {
        return bytes;
    }

    int length()
    {
        return length;
    }

    ThriftBytes int32(final int field, final int value)
    {
        head(field, INT32);
        varint(zigzag(value));
        return this;
    }

    ThriftBytes int64(final int field, final long value)
    {
        head(field, INT64);
        varint(zigzag(value));
        return this;
    }

    ThriftBytes text(final int field, final String value)
    {
        head(field, TEXT);
        return textElement(value);
    }

    /** Begins a structure that is a field. */
    ThriftBytes begin(final int field)
    {
        head(field, STRUCT);
        return beginElement();
    }

    /** Begins a structure that is an element of a list. */
    ThriftBytes beginElement()
    {
        lastFields[++depth] = 0;
        return this;
    }

    /** Ends a structure; the outermost one is ended too. */
    ThriftBytes end()
    {
        put(0);
        depth = Math.max(0, depth - 1);
        return this;
    }

    /** Begins a list, whose elements follow. */
    ThriftBytes list(final int field, final int elementType, final int size)
    {
        head(field, LIST);
        put(Math.min(size, MOST_SHORT) << 4 | elementType);
        if (size >= MOST_SHORT)
        {
            varint(size);
        }
        return this;
    }

    ThriftBytes int32Element(final int value)
    {
        varint(zigzag(value));
        return this;
    }

    ThriftBytes textElement(final String value)
    {
        final byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        varint(utf8.length);
        reserve(utf8.length);
        System.arraycopy(utf8, 0, bytes, length, utf8.length);
        length += utf8.length;
        return this;
    }

    private void head(final int field, final int type)
    {
        final int step = field - lastFields[depth];
        if (step > 0 && step <= MOST_SHORT)
        {
            put(step << 4 | type);
        }
        else
        {
            put(type);
            varint(zigzag(field));
        }
        lastFields[depth] = field;
    }

    private static long zigzag(final long value)
    {
        return value << 1 ^ value >> Long.SIZE - 1;
    }

    private void varint(final long value)
    {
        long rest = value;
        while ((rest & ~0x7FL) != 0)
        {
            put((int)(rest & 0x7F | 0x80));
            rest >>>= 7;
        }
        put((int)rest);
    }

    private void put(final int value)
    {
        reserve(LONGEST_VARINT);
        bytes[length++] = (byte)value;
    }

    private void reserve(final int more)
    {
        if (length + more > bytes.length)
        {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + more));
        }
    }
}
