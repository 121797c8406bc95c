// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;
import org.agrona.DirectBuffer;

import java.util.concurrent.CountDownLatch;

/** Records every group once the gate is open; until then the first append waits. */
final class GatedJournal implements GroupJournal
{
    final RecordingJournal recording = new RecordingJournal();
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch gate = new CountDownLatch(1);

    @Override
    public void append(
        final long timeNanos, final DirectBuffer group, final int offset, final int length, final CaptureSlice rows)
    {
        reached.countDown();
        try
        {
            gate.await();
        }
        catch (final InterruptedException e)
        {
            throw new IllegalStateException(e);
        }
        recording.append(timeNanos, group, offset, length, rows);
    }

    /** Returns once an append waits at the gate. */
    void awaitFirst() throws InterruptedException
    {
        reached.await();
    }

    void open()
    {
        gate.countDown();
    }

    @Override
    public void endOfBatch()
    {
        recording.endOfBatch();
    }

    @Override
    public void close()
    {
        recording.close();
    }
}
