// SPDX-License-Identifier: Apache-2.0
package io.signalbox.image;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;

/** The bytes of an image. The length is known, so a forged number in the image cannot cause a large allocation. */
final class ImageInput extends DataInputStream
{
    ImageInput(final InputStream source, final long length)
    {
        super(new Limited(source, length));
    }

    /** Number of unread bytes. */
    long left()
    {
        return ((Limited)in).left;
    }

    /** The first bytes of a stream. */
    private static final class Limited extends InputStream
    {
        private final InputStream source;
        private long left;

        private Limited(final InputStream source, final long length)
        {
            this.source = source;
            left = length;
        }

        @Override
        public int read() throws IOException
        {
            final int value = left > 0 ? source.read() : -1;
            left -= value < 0 ? 0 : 1;
            return value;
        }

        @Override
        public int read(final byte[] target, final int offset, final int length) throws IOException
        {
            final int count = left > 0 ? source.read(target, offset, (int)Math.min(left, length)) : -1;
            left -= Math.max(0, count);
            return length == 0 ? 0 : count;
        }
    }
}
