// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.backend.CaptureSlice;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** The rows of one step. A release overwrites them, so that a late reader is detected. */
public record OverwrittenRows(UnsafeBuffer memory, int rowCount, int rowBytes) implements CaptureSlice
{
    @Override
    public DirectBuffer buffer()
    {
        return memory;
    }

    @Override
    public int offset()
    {
        return 0;
    }

    @Override
    public void release()
    {
        memory.setMemory(0, memory.capacity(), (byte)0x55);
    }
}
