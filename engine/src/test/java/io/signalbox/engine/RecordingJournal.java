// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertFalse;

/** Keeps every group in memory, with its rows. */
final class RecordingJournal implements GroupJournal
{
    /** One group and, if they did not fit inside it, its rows. */
    record Recorded(byte[] group, byte[] rows)
    {
    }

    final List<Recorded> recorded = new ArrayList<>();
    private int unsynced;
    private boolean cutShort;
    private boolean closed;

    @Override
    public synchronized void append(
        final long timeNanos, final DirectBuffer group, final int offset, final int length, final CaptureSlice rows)
    {
        recorded.add(new Recorded(copy(group, offset, length),
            rows == null ? null : copy(rows.buffer(), rows.offset(), rows.rowCount() * rows.rowBytes())));
        unsynced++;
    }

    private static byte[] copy(final DirectBuffer source, final int offset, final int length)
    {
        final byte[] bytes = new byte[length];
        source.getBytes(offset, bytes);
        return bytes;
    }

    @Override
    public synchronized void endOfBatch()
    {
        unsynced = 0;
    }

    synchronized int durableCount()
    {
        return recorded.size() - unsynced;
    }

    synchronized boolean isClosed()
    {
        return closed;
    }

    synchronized boolean isCutShort()
    {
        return cutShort;
    }

    @Override
    public synchronized void cutShort()
    {
        assertFalse(closed, "cut short once it was closed");
        cutShort = true;
    }

    @Override
    public synchronized void close()
    {
        assertFalse(closed, "closed twice");
        closed = true;
    }

    /** The slice from which a replay reads the rows of one group, or null. */
    static CaptureSlice slice(final Recorded recorded, final int rowBytes)
    {
        return recorded.rows() == null ? null :
            new HeapSlice(new UnsafeBuffer(recorded.rows()), recorded.rows().length / rowBytes, rowBytes);
    }
}
