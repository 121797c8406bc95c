// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;

/** One input on its way to the scheduler. */
final class IngressSlot
{
    private final ExpandableArrayBuffer input = new ExpandableArrayBuffer(256);
    private int length;
    private CaptureSlice rows;

    void set(final DirectBuffer source, final int offset, final int inputLength, final CaptureSlice slice)
    {
        input.putBytes(0, source, offset, inputLength);
        length = inputLength;
        rows = slice;
    }

    DirectBuffer input()
    {
        return input;
    }

    int length()
    {
        return length;
    }

    CaptureSlice takeRows()
    {
        final CaptureSlice taken = rows;
        rows = null;
        return taken;
    }
}
