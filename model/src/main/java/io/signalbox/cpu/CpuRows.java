// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cpu;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.experts.ModelShape;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Queue;

/**
 * The routed experts of one step, and their combine weights if the shape has them, copied before the next step overwrites
 * them. Returns to its pool when released.
 */
final class CpuRows implements CaptureSlice
{
    private static final byte MISSING = -1;

    private final ModelShape shape;
    private final Queue<CpuRows> pool;
    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[0]);
    private byte[] bytes = new byte[0];
    private int rows;

    CpuRows(final ModelShape shape, final Queue<CpuRows> pool)
    {
        this.shape = shape;
        this.pool = pool;
    }

    /** Begins with so many rows, all missing. */
    CpuRows begin(final int count)
    {
        rows = count;
        final int wanted = Math.multiplyExact(count, shape.rowBytes());
        if (bytes.length < wanted)
        {
            bytes = new byte[wanted];
            buffer.wrap(bytes);
        }
        Arrays.fill(bytes, 0, wanted, MISSING);
        return this;
    }

    /** Copies a row. */
    void set(final int row, final int[] ids, final float[] weights, final int at)
    {
        final int from = row * shape.rowBytes() + shape.idsBytes();
        for (int i = 0; shape.combineWeights() && i < shape.rowIds(); i++)
        {
            buffer.putFloat(from + i * ModelShape.WEIGHT_BYTES, weights[at + i], ByteOrder.LITTLE_ENDIAN);
        }
        final int width = shape.idBytes();
        for (int i = 0; i < shape.rowIds(); i++)
        {
            final int to = row * shape.rowBytes() + i * width;
            switch (width)
            {
                case Byte.BYTES -> bytes[to] = (byte)ids[at + i];
                case Short.BYTES -> buffer.putShort(to, (short)ids[at + i], ByteOrder.LITTLE_ENDIAN);
                default -> buffer.putInt(to, ids[at + i], ByteOrder.LITTLE_ENDIAN);
            }
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
        pool.add(this);
    }
}
