// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.backend.CaptureSlice;
import org.agrona.DirectBuffer;

/** Rows with the checksum of other rows. */
record SpoiltRows(CaptureSlice rows) implements CaptureSlice
{
    private static final long OTHER = 77;

    @Override
    public DirectBuffer buffer()
    {
        return rows.buffer();
    }

    @Override
    public int offset()
    {
        return rows.offset();
    }

    @Override
    public int rowCount()
    {
        return rows.rowCount();
    }

    @Override
    public int rowBytes()
    {
        return rows.rowBytes();
    }

    @Override
    public long checksum()
    {
        return OTHER;
    }

    @Override
    public void release()
    {
        rows.release();
    }
}
