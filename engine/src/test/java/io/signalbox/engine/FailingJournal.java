// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;
import org.agrona.DirectBuffer;

/** Fails at a chosen group. */
final class FailingJournal implements GroupJournal
{
    private final int failAt;
    private volatile int appended;
    private volatile boolean closed;

    FailingJournal(final int failAt)
    {
        this.failAt = failAt;
    }

    @Override
    public void append(
        final long timeNanos, final DirectBuffer group, final int offset, final int length, final CaptureSlice rows)
    {
        appended = appended + 1;
        if (appended == failAt)
        {
            throw new IllegalStateException("planted failure of the journal");
        }
    }

    @Override
    public void endOfBatch()
    {
    }

    int appended()
    {
        return appended;
    }

    boolean isClosed()
    {
        return closed;
    }

    @Override
    public void close()
    {
        closed = true;
    }
}
