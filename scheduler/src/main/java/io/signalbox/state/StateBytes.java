// SPDX-License-Identifier: Apache-2.0
package io.signalbox.state;

import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;

import java.nio.ByteOrder;

/** Numbers in a buffer, one behind the other: seven bits per byte, the lowest first, the highest bit set if more follow. */
final class StateBytes
{
    private static final int MOST_BYTES = 10;

    private final ExpandableArrayBuffer written;
    private final DirectBuffer read;
    private final int end;
    private int position;

    private StateBytes(final ExpandableArrayBuffer written, final DirectBuffer read, final int start, final int end)
    {
        this.written = written;
        this.read = read;
        this.end = end;
        position = start;
    }

    static StateBytes writing(final ExpandableArrayBuffer target, final int start)
    {
        return new StateBytes(target, null, start, 0);
    }

    static StateBytes reading(final DirectBuffer source, final int start, final int length)
    {
        return new StateBytes(null, source, start, start + length);
    }

    int position()
    {
        return position;
    }

    /** @param value at least 0. */
    void putCount(final long value)
    {
        long rest = value;
        while (rest >>> 7 != 0)
        {
            written.putByte(position++, (byte)(rest & 0x7F | 0x80));
            rest >>>= 7;
        }
        written.putByte(position++, (byte)rest);
    }

    void putNumber(final long value)
    {
        putCount(value << 1 ^ value >> Long.SIZE - 1);
    }

    void putHash(final long hash)
    {
        written.putLong(position, hash, ByteOrder.LITTLE_ENDIAN);
        position += Long.BYTES;
    }

    private void require(final int bytes)
    {
        if (bytes > end - position)
        {
            throw new IllegalArgumentException("the state ends at byte " + end + ", within a number");
        }
    }

    private long bits()
    {
        long value = 0;
        for (int i = 0; i < MOST_BYTES; i++)
        {
            require(1);
            final byte next = read.getByte(position++);
            value |= (next & 0x7FL) << 7 * i;
            if (next >= 0)
            {
                return value;
            }
        }
        throw new IllegalArgumentException("the number ahead of byte " + position + " has no end");
    }

    long number()
    {
        final long bits = bits();
        return bits >>> 1 ^ -(bits & 1);
    }

    /** @throws IllegalArgumentException if the number is not from 0 to {@code most}. */
    long count(final long most)
    {
        final long value = bits();
        if (value < 0 || value > most)
        {
            throw new IllegalArgumentException(
                "the number ahead of byte " + position + " is " + value + ", and not from 0 to " + most);
        }
        return value;
    }

    /** A count of parts that have at least one byte each. */
    int parts()
    {
        return (int)count(end - position);
    }

    int int32()
    {
        final long value = number();
        if (value != (int)value)
        {
            throw new IllegalArgumentException("the number ahead of byte " + position + " does not have 32 bits");
        }
        return (int)value;
    }

    long hash()
    {
        require(Long.BYTES);
        position += Long.BYTES;
        return read.getLong(position - Long.BYTES, ByteOrder.LITTLE_ENDIAN);
    }

    void requireEnd()
    {
        if (position != end)
        {
            throw new IllegalArgumentException((end - position) + " bytes follow the state");
        }
    }
}
