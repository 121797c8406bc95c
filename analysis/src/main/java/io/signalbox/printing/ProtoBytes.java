// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A message of Protocol Buffers while it is written. */
final class ProtoBytes
{
    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int DELIMITED = 2;
    private static final int LONGEST_VARINT = 10;

    private byte[] bytes = new byte[256];
    private int length;

    ProtoBytes clear()
    {
        length = 0;
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

    /** A field of an integer or enum type; negative values as of int64. */
    ProtoBytes number(final int field, final long value)
    {
        tag(field, VARINT);
        varint(value);
        return this;
    }

    ProtoBytes fixed64(final int field, final long value)
    {
        tag(field, FIXED64);
        reserve(Long.BYTES);
        for (int i = 0; i < Long.BYTES; i++)
        {
            bytes[length++] = (byte)(value >>> i * Byte.SIZE);
        }
        return this;
    }

    ProtoBytes text(final int field, final String value)
    {
        final byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        return delimited(field, utf8, utf8.length);
    }

    ProtoBytes text(final int field, final byte[] utf8)
    {
        return delimited(field, utf8, utf8.length);
    }

    /** A text that ends with a number. */
    ProtoBytes text(final int field, final byte[] prefix, final long number)
    {
        if (number < 0)
        {
            return text(field, new String(prefix, StandardCharsets.UTF_8) + number);
        }
        int digits = 1;
        for (long rest = number / 10; rest > 0; rest /= 10)
        {
            digits++;
        }
        tag(field, DELIMITED);
        varint(prefix.length + digits);
        reserve(prefix.length + digits);
        System.arraycopy(prefix, 0, bytes, length, prefix.length);
        length += prefix.length + digits;
        long rest = number;
        for (int at = length - 1; at >= length - digits; at--)
        {
            bytes[at] = (byte)('0' + rest % 10);
            rest /= 10;
        }
        return this;
    }

    ProtoBytes message(final int field, final ProtoBytes value)
    {
        return delimited(field, value.bytes, value.length);
    }

    private ProtoBytes delimited(final int field, final byte[] source, final int count)
    {
        tag(field, DELIMITED);
        varint(count);
        reserve(count);
        System.arraycopy(source, 0, bytes, length, count);
        length += count;
        return this;
    }

    private void tag(final int field, final int wireType)
    {
        varint((long)field << 3 | wireType);
    }

    private void varint(final long value)
    {
        reserve(LONGEST_VARINT);
        long rest = value;
        while ((rest & ~0x7FL) != 0)
        {
            bytes[length++] = (byte)(rest & 0x7F | 0x80);
            rest >>>= 7;
        }
        bytes[length++] = (byte)rest;
    }

    private void reserve(final int more)
    {
        if (length + more > bytes.length)
        {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + more));
        }
    }
}
