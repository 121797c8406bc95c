// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** A stream that ends after a number of bytes, and leaves its source open. */
final class FirstBytes extends FilterInputStream
{
    private long left;

    FirstBytes(final InputStream source, final long bytes)
    {
        super(source);
        left = bytes;
    }

    @Override
    public int read() throws IOException
    {
        final byte[] one = new byte[1];
        return read(one, 0, 1) < 1 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(final byte[] to, final int at, final int length) throws IOException
    {
        if (left == 0)
        {
            return -1;
        }
        final int count = super.read(to, at, (int)Math.min(left, length));
        left -= Math.max(0, count);
        return count;
    }

    /** The source stays open: it belongs to the caller. */
    @Override
    public void close()
    {
        left = 0;
    }
}
