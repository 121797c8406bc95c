// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.event.GroupWriter;

/** One group on the track. A slot holds a whole group, so no handler sees half of one. */
final class TrackSlot
{
    final GroupWriter group = new GroupWriter(512);
    private long timeNanos;
    private CaptureSlice rows;

    void set(final long logicalTimeNanos, final CaptureSlice slice)
    {
        timeNanos = logicalTimeNanos;
        rows = slice;
    }

    long timeNanos()
    {
        return timeNanos;
    }

    CaptureSlice rows()
    {
        return rows;
    }

    void releaseRows()
    {
        final CaptureSlice held = takeRows();
        if (held != null)
        {
            held.release();
        }
    }

    /** The rows, which the caller releases; the slot holds none any more. */
    CaptureSlice takeRows()
    {
        final CaptureSlice taken = rows;
        rows = null;
        return taken;
    }

    /** Of any thread, and a moment late in others than the slot's. */
    boolean holdsRows()
    {
        return rows != null;
    }
}
