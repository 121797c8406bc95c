// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.backend.CaptureSlice;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Rows on the heap, which their release overwrites: a reader that comes later is noticed. */
final class HeldRows implements CaptureSlice
{
    private static final byte OVERWRITTEN = 0x55;

    private final UnsafeBuffer rows;
    private final int rowCount;
    private final int rowBytes;

    HeldRows(final UnsafeBuffer rows, final int rowCount, final int rowBytes)
    {
        this.rows = rows;
        this.rowCount = rowCount;
        this.rowBytes = rowBytes;
    }

    @Override
    public DirectBuffer buffer()
    {
        return rows;
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
        return rowBytes;
    }

    @Override
    public void release()
    {
        rows.setMemory(0, rows.capacity(), OVERWRITTEN);
    }
}
