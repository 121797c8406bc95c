// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.request;

import io.signalbox.backend.CaptureSlice;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** A copy of captured rows in which some are marked as missing. */
public final class MarkedRows implements CaptureSlice
{
    private final UnsafeBuffer copy;
    private final int rowCount;
    private final int rowBytes;

    public MarkedRows(final CaptureSlice rows)
    {
        rowCount = rows.rowCount();
        rowBytes = rows.rowBytes();
        copy = new UnsafeBuffer(new byte[rowCount * rowBytes]);
        copy.putBytes(0, rows.buffer(), rows.offset(), copy.capacity());
    }

    public void mark(final int row)
    {
        copy.setMemory(row * rowBytes, rowBytes, (byte)-1);
    }

    @Override
    public DirectBuffer buffer()
    {
        return copy;
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
        // Heap memory that nothing else uses.
    }
}
