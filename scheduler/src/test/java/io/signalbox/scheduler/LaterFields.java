// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.saved.SavedFields;
import org.agrona.ExpandableArrayBuffer;

import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes an image as the documents describe it, as a later version would: each record has two further fields. A second
 * statement of the form, independent of the first.
 */
final class LaterFields extends SavedFields
{
    private final ExpandableArrayBuffer buffer = new ExpandableArrayBuffer();
    private int length;

    byte[] bytes()
    {
        return Arrays.copyOf(buffer.byteArray(), length);
    }

    @Override
    public boolean isReading()
    {
        return false;
    }

    @Override
    public long number(final long value)
    {
        long bits = value < 0 ? ~(value << 1) : value << 1;
        boolean isMore = true;
        while (isMore)
        {
            isMore = Long.compareUnsigned(bits, 128) >= 0;
            buffer.putByte(length++, (byte)(bits % 128 & 0x7F | (isMore ? 0x80 : 0)));
            bits = bits >>> 7;
        }
        return value;
    }

    @Override
    public String text(final String value)
    {
        final byte[] bytes = value == null ? new byte[0] : value.getBytes(StandardCharsets.UTF_8);
        number(value == null ? -1 : bytes.length);
        bytes(bytes, 0, bytes.length);
        return value;
    }

    @Override
    public void bytes(final byte[] array, final int offset, final int count)
    {
        buffer.putBytes(length, array, offset, count);
        length += count;
    }

    @Override
    public void record(final Runnable fields)
    {
        final int start = length;
        length += Integer.BYTES;
        fields.run();
        number(-4711);
        text("later");
        buffer.putInt(start, length - start - Integer.BYTES, ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    protected long left()
    {
        return Long.MAX_VALUE;
    }
}
