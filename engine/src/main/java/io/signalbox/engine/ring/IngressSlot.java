// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.ring;

import io.signalbox.backend.CaptureSlice;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;

/** One input on its way to the scheduler. */
public final class IngressSlot
{
    private final ExpandableArrayBuffer input = new ExpandableArrayBuffer(256);
    private int length;
    private CaptureSlice rows;

    /** A copy that throws leaves the slot empty: a claimed slot must be published, and must not repeat a former input. */
    public void set(final DirectBuffer source, final int offset, final int inputLength, final CaptureSlice slice)
    {
        length = 0;
        rows = null;
        input.putBytes(0, source, offset, inputLength);
        length = inputLength;
        rows = slice;
    }

    public boolean isEmpty()
    {
        return length == 0;
    }

    public DirectBuffer input()
    {
        return input;
    }

    public int length()
    {
        return length;
    }

    /** Releases the rows of an input that will not be processed. */
    public void releaseRows()
    {
        final CaptureSlice taken = takeRows();
        if (taken != null)
        {
            taken.release();
        }
    }

    public CaptureSlice takeRows()
    {
        final CaptureSlice taken = rows;
        rows = null;
        return taken;
    }

    /** Of any thread, and a moment late in others than the slot's. */
    public boolean holdsRows()
    {
        return rows != null;
    }
}
