// SPDX-License-Identifier: Apache-2.0
package com.example.embedding;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.experts.ModelShape;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** The routed experts of one step: one row per token that it fed, {@code [MoE layer][k]}, one byte per expert id. */
final class EchoRows implements CaptureSlice
{
    private final ModelShape shape;
    private final UnsafeBuffer ids;
    private final int rows;

    /** @param fed the tokens of the step: each chooses consecutive experts, others in each layer. */
    EchoRows(final ModelShape shape, final int[] fed)
    {
        this.shape = shape;
        rows = fed.length;
        ids = new UnsafeBuffer(new byte[rows * shape.rowBytes()]);
        int written = 0;
        for (final int token : fed)
        {
            for (int layer = 0; layer < shape.moeLayers(); layer++)
            {
                for (int k = 0; k < shape.topK(); k++)
                {
                    ids.putByte(written++, (byte)Math.floorMod(token + layer + k, shape.experts()));
                }
            }
        }
    }

    @Override
    public DirectBuffer buffer()
    {
        return ids;
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
        // The collector has the array; a backend with pinned memory reuses it from here on.
    }
}
