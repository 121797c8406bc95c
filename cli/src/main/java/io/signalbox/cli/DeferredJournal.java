// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.engine.GroupJournal;
import io.signalbox.journal.JournalWriter;
import org.agrona.DirectBuffer;

import java.util.function.Supplier;

/**
 * A journal that is opened only after the engine was built around it, so that a run which cannot begin leaves nothing
 * on the disk. Opened before the first input is offered, and so before any other thread calls it.
 */
final class DeferredJournal implements GroupJournal
{
    private final Supplier<JournalWriter> opening;
    private JournalWriter writer;

    DeferredJournal(final Supplier<JournalWriter> opening)
    {
        this.opening = opening;
    }

    void open()
    {
        writer = opening.get();
    }

    /** Null until {@link #open()}. */
    JournalWriter writer()
    {
        return writer;
    }

    @Override
    public void append(
        final long timeNanos, final DirectBuffer group, final int offset, final int length, final CaptureSlice rows)
    {
        writer.append(timeNanos, group, offset, length, rows);
    }

    @Override
    public void endOfBatch()
    {
        if (writer != null)
        {
            writer.endOfBatch();
        }
    }

    @Override
    public void close()
    {
        if (writer != null)
        {
            writer.close();
        }
    }
}
