// SPDX-License-Identifier: Apache-2.0
package io.signalbox.image;

import io.signalbox.saved.SavedFields;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes records. An outermost record is a length of 32 bits, little endian, and its fields; it goes to the stream as soon
 * as it is complete. A number has seven bits per byte, the lowest first, the highest bit set if more follow, and its sign in
 * the lowest bit. A text is the number of its bytes in UTF-8, -1 for none, and the bytes.
 */
final class FieldWriter extends SavedFields
{
    private static final int MOST_NUMBER_BYTES = 10;
    private static final int MOST_BYTES = Integer.MAX_VALUE - 8;

    private final OutputStream target;
    private byte[] buffer = new byte[1 << 16];
    private int position;
    private int depth;

    FieldWriter(final OutputStream target)
    {
        this.target = target;
    }

    @Override
    public boolean isReading()
    {
        return false;
    }

    @Override
    protected long left()
    {
        return Long.MAX_VALUE;
    }

    @Override
    public long number(final long value)
    {
        require(MOST_NUMBER_BYTES);
        long rest = value << 1 ^ value >> Long.SIZE - 1;
        while (rest >>> 7 != 0)
        {
            buffer[position++] = (byte)(rest & 0x7F | 0x80);
            rest >>>= 7;
        }
        buffer[position++] = (byte)rest;
        return value;
    }

    private void require(final int bytes)
    {
        if (bytes > buffer.length - position)
        {
            final int doubled = (int)Math.min(2L * buffer.length, MOST_BYTES);
            buffer = Arrays.copyOf(buffer, Math.max(Math.addExact(position, bytes), doubled));
        }
    }

    @Override
    public String text(final String value)
    {
        if (value == null)
        {
            number(-1);
            return null;
        }
        final byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        number(bytes.length);
        bytes(bytes, 0, bytes.length);
        return value;
    }

    @Override
    public void bytes(final byte[] array, final int offset, final int length)
    {
        require(length);
        System.arraycopy(array, offset, buffer, position, length);
        position += length;
    }

    @Override
    public void record(final Runnable fields)
    {
        require(Integer.BYTES);
        final int start = position;
        position += Integer.BYTES;
        depth++;
        fields.run();
        depth--;
        ByteBuffer.wrap(buffer).order(ByteOrder.LITTLE_ENDIAN).putInt(start, position - start - Integer.BYTES);
        if (depth == 0)
        {
            flush();
        }
    }

    private void flush()
    {
        try
        {
            target.write(buffer, 0, position);
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
        position = 0;
    }
}
