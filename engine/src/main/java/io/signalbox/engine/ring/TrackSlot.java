// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.ring;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.event.GroupWriter;

/** One group on the track. A slot holds a whole group, so no handler sees half of one. */
public final class TrackSlot
{
    public final GroupWriter group = new GroupWriter(512);
    private long timeNanos;
    private CaptureSlice rows;

    public void set(final long logicalTimeNanos, final CaptureSlice slice)
    {
        timeNanos = logicalTimeNanos;
        rows = slice;
    }

    public long timeNanos()
    {
        return timeNanos;
    }

    public CaptureSlice rows()
    {
        return rows;
    }

    public void releaseRows()
    {
        final CaptureSlice held = takeRows();
        if (held != null)
        {
            held.release();
        }
    }

    /** The rows, which the caller releases; the slot holds none any more. */
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
