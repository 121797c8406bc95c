// SPDX-License-Identifier: Apache-2.0
package io.signalbox.image;

import io.signalbox.saved.SavedFields;
import org.agrona.ExpandableArrayBuffer;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Writes records. An outermost record is a length of 32 bits, little endian, and its fields; it goes to the stream as soon
 * as it is complete. A number has seven bits per byte, the lowest first, the highest bit set if more follow, and its sign in
 * the lowest bit. A text is the number of its bytes in UTF-8, -1 for none, and the bytes.
 */
final class FieldWriter extends SavedFields
{
    private final OutputStream target;
    private final ExpandableArrayBuffer buffer = new ExpandableArrayBuffer(1 << 16);
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
        long rest = value << 1 ^ value >> Long.SIZE - 1;
        while (rest >>> 7 != 0)
        {
            buffer.putByte(position++, (byte)(rest & 0x7F | 0x80));
            rest >>>= 7;
        }
        buffer.putByte(position++, (byte)rest);
        return value;
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
        buffer.putBytes(position, array, offset, length);
        position += length;
    }

    @Override
    public void record(final Runnable fields)
    {
        final int start = position;
        position += Integer.BYTES;
        depth++;
        fields.run();
        depth--;
        buffer.putInt(start, position - start - Integer.BYTES, ByteOrder.LITTLE_ENDIAN);
        if (depth == 0)
        {
            flush();
        }
    }

    private void flush()
    {
        try
        {
            target.write(buffer.byteArray(), 0, position);
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
        position = 0;
    }
}
