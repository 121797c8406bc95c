// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.backend.CaptureSlice;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** A slice with fewer rows, or fewer bytes, than it should have. */
final class SpoiltSlice implements CaptureSlice
{
    private final CaptureSlice slice;
    private final UnsafeBuffer buffer;
    private final int rowCount;

    private SpoiltSlice(final CaptureSlice slice, final int rowCount, final int bytes)
    {
        this.slice = slice;
        this.rowCount = rowCount;
        buffer = new UnsafeBuffer(slice.buffer(), slice.offset(), bytes);
    }

    static SpoiltSlice withoutLastRow(final CaptureSlice slice)
    {
        final int rows = slice.rowCount() - 1;
        return new SpoiltSlice(slice, rows, rows * slice.rowBytes());
    }

    static SpoiltSlice withoutLastByte(final CaptureSlice slice)
    {
        return new SpoiltSlice(slice, slice.rowCount(), slice.rowCount() * slice.rowBytes() - 1);
    }

    @Override
    public DirectBuffer buffer()
    {
        return buffer;
    }

    @Override
    public int offset()
    {
        return 0;
    }

    @Override
    public int rowCount()
    {
        return rowCount;
    }

    @Override
    public int rowBytes()
    {
        return slice.rowBytes();
    }

    @Override
    public void release()
    {
        slice.release();
    }
}
