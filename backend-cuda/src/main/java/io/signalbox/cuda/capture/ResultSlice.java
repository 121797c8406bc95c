// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.capture;

import io.signalbox.InvariantViolation;
import io.signalbox.backend.CaptureSlice;
import org.agrona.DirectBuffer;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The rows of one step in pinned memory, lent until the one release, which may come from any thread and does not touch
 * the driver. Not to be read after the ring is closed.
 */
final class ResultSlice implements CaptureSlice
{
    private final CaptureSlot slot;
    private final AtomicBoolean lent = new AtomicBoolean();
    private long step;
    private int offset;
    private int rowCount;
    private int rowBytes;

    ResultSlice(final CaptureSlot slot)
    {
        this.slot = slot;
    }

    void lend(final long ofStep, final int rowsOffset, final int count, final int bytes)
    {
        step = ofStep;
        offset = rowsOffset;
        rowCount = count;
        rowBytes = bytes;
        lent.setRelease(true);
    }

    @Override
    public DirectBuffer buffer()
    {
        return slot.resultBuffer();
    }

    @Override
    public int offset()
    {
        return offset;
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

    /** @throws InvariantViolation when the rows were released before: the slot may have other rows by now. */
    @Override
    public void release()
    {
        if (!lent.compareAndSet(true, false))
        {
            throw new InvariantViolation(
                "the rows of step " + step + " in slot " + slot.index() + " of the capture ring were released twice");
        }
        slot.free();
    }
}
