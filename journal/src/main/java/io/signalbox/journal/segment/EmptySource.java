// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

/** A file that was never written. */
enum EmptySource implements ByteSource
{
    INSTANCE;

    @Override
    public long length()
    {
        return 0;
    }

    @Override
    public int read(final long position, final byte[] target, final int offset, final int length)
    {
        return 0;
    }

    @Override
    public void close()
    {
    }
}
