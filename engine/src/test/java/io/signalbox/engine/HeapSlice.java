// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Rows in heap memory. A release overwrites them, so that a later read is noticed, and is counted. */
final class HeapSlice implements CaptureSlice
{
    private final UnsafeBuffer rows;
    private final int rowCount;
    private final int rowBytes;
    private volatile int releases;

    HeapSlice(final UnsafeBuffer rows, final int rowCount, final int rowBytes)
    {
        this.rows = rows;
        this.rowCount = rowCount;
        this.rowBytes = rowBytes;
    }

    /** No rows. */
    static HeapSlice empty()
    {
        return new HeapSlice(new UnsafeBuffer(new byte[0]), 0, 0);
    }

    int releases()
    {
        return releases;
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
        releases = releases + 1;
    }
}
