// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

/** The bytes of one file, read by position. */
public interface ByteSource extends AutoCloseable
{
    long length();

    /**
     * Reads into {@code target}.
     *
     * @return bytes read; fewer than {@code length} only at the end of the file.
     */
    int read(long position, byte[] target, int offset, int length);

    /** First position from {@code position} on that may hold anything but zeros; the length if there is none. */
    default long nextData(final long position)
    {
        return Math.min(position, length());
    }

    @Override
    void close();
}
