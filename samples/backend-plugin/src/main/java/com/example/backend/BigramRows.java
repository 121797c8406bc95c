// SPDX-License-Identifier: Apache-2.0
package com.example.backend;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.experts.ModelShape;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** The routed experts of one step, one row per token that it fed. */
final class BigramRows implements CaptureSlice
{
    private final ModelShape shape;
    private final UnsafeBuffer buffer;
    private final int rows;
    private int written;

    BigramRows(final ModelShape shape, final int rows)
    {
        this.shape = shape;
        this.rows = rows;
        buffer = new UnsafeBuffer(new byte[rows * shape.rowBytes()]);
    }

    /** Adds a row; ids are as wide as the number of experts needs. */
    void add(final int[] ids)
    {
        for (final int id : ids)
        {
            switch (shape.idBytes())
            {
                case Byte.BYTES -> buffer.putByte(written, (byte)id);
                case Short.BYTES -> buffer.putShort(written, (short)id);
                default -> buffer.putInt(written, id);
            }
            written += shape.idBytes();
        }
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
        return rows;
    }

    @Override
    public int rowBytes()
    {
        return shape.rowBytes();
    }

    @Override
    public void release()
    {
        // The collector has the array.
    }
}
