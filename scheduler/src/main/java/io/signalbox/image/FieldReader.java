// SPDX-License-Identifier: Apache-2.0
package io.signalbox.image;

import io.signalbox.saved.SavedFields;
import io.signalbox.saved.UnfitImageException;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Reads what a {@link FieldWriter} wrote. A length is compared with the bytes that are left before memory is taken for it.
 */
final class FieldReader extends SavedFields
{
    private static final int MOST_NUMBER_BYTES = 10;

    private final InputStream source;
    /** Bytes of the image that are not read yet. */
    private long unread;
    /** The present outermost record. */
    private ByteBuffer record = ByteBuffer.allocate(0);
    private boolean isWithin;

    /** @param length bytes of the image. */
    FieldReader(final InputStream source, final long length)
    {
        this.source = source;
        unread = length;
    }

    @Override
    public boolean isReading()
    {
        return true;
    }

    @Override
    protected long left()
    {
        return record.remaining();
    }

    @Override
    public long number(final long value)
    {
        if (!record.hasRemaining())
        {
            return value;
        }
        long bits = 0;
        for (int i = 0; i < MOST_NUMBER_BYTES && record.hasRemaining(); i++)
        {
            final byte next = record.get();
            bits |= (next & 0x7FL) << 7 * i;
            if (next >= 0)
            {
                return bits >>> 1 ^ -(bits & 1);
            }
        }
        throw new UnfitImageException("it has a number without an end");
    }

    @Override
    public String text(final String value)
    {
        if (!record.hasRemaining())
        {
            return value;
        }
        final long length = number(0);
        if (length < -1 || length > record.remaining())
        {
            throw new UnfitImageException("it has a text of " + length + " bytes in " + record.remaining());
        }
        if (length < 0)
        {
            return null;
        }
        final byte[] bytes = new byte[(int)length];
        record.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Override
    public void bytes(final byte[] array, final int offset, final int length)
    {
        if (length > record.remaining())
        {
            throw new UnfitImageException("it has " + record.remaining() + " bytes in the place of " + length);
        }
        record.get(array, offset, length);
    }

    @Override
    public void record(final Runnable fields)
    {
        if (!isWithin)
        {
            next();
            isWithin = true;
            fields.run();
            isWithin = false;
        }
        else if (record.hasRemaining())
        {
            within(fields);
        }
    }

    private void within(final Runnable fields)
    {
        final int outerEnd = record.limit();
        final int length = record.remaining() < Integer.BYTES ? -1 : record.getInt();
        requireWithin(length, record.remaining());
        final int end = record.position() + length;
        record.limit(end);
        fields.run();
        record.limit(outerEnd).position(end);
    }

    private static void requireWithin(final int length, final long bytes)
    {
        if (length < 0 || length > bytes)
        {
            throw new UnfitImageException("it has a record of " + length + " bytes in " + bytes);
        }
    }

    private void next()
    {
        try
        {
            final byte[] size = source.readNBytes((int)Math.min(unread, Integer.BYTES));
            if (size.length < Integer.BYTES)
            {
                throw new EOFException();
            }
            unread -= size.length;
            final int length = ByteBuffer.wrap(size).order(ByteOrder.LITTLE_ENDIAN).getInt();
            requireWithin(length, unread);
            record = (length <= record.capacity() ? record.clear() : ByteBuffer.allocate(length))
                .order(ByteOrder.LITTLE_ENDIAN).limit(length);
            if (source.readNBytes(record.array(), 0, length) < length)
            {
                throw new EOFException();
            }
            unread -= length;
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }
}
