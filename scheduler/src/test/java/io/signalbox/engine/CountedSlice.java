// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** No rows, but a count of how often they were given back. */
final class CountedSlice implements CaptureSlice
{
    private int releases;

    int releases()
    {
        return releases;
    }

    @Override
    public DirectBuffer buffer()
    {
        return new UnsafeBuffer(new byte[0]);
    }

    @Override
    public int offset()
    {
        return 0;
    }

    @Override
    public int rowCount()
    {
        return 0;
    }

    @Override
    public int rowBytes()
    {
        return 0;
    }

    @Override
    public void release()
    {
        releases++;
    }
}
