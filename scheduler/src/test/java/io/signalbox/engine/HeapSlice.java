// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Rows in heap memory; a release overwrites them, so that a reader who comes too late is found out. */
final class HeapSlice implements CaptureSlice
{
    private final UnsafeBuffer rows;
    private final int rowCount;
    private final int rowBytes;

    HeapSlice(final UnsafeBuffer rows, final int rowCount, final int rowBytes)
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
        rows.setMemory(0, rows.capacity(), (byte)0x55);
    }
}
