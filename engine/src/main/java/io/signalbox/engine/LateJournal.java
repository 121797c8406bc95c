// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;
import org.agrona.DirectBuffer;

/** The journal of a run, opened once the backend has started: an engine that does not start leaves the run as it was. */
final class LateJournal implements GroupJournal
{
    private final RecordedRun run;
    private GroupJournal journal;

    LateJournal(final RecordedRun run)
    {
        this.run = run;
    }

    /** Before any thread appends. */
    void open()
    {
        journal = run.journal();
    }

    @Override
    public void append(
        final long timeNanos, final DirectBuffer group, final int offset, final int length, final CaptureSlice rows)
    {
        journal.append(timeNanos, group, offset, length, rows);
    }

    @Override
    public void endOfBatch()
    {
        journal.endOfBatch();
    }

    @Override
    public boolean neverWaits()
    {
        return journal != null && journal.neverWaits();
    }

    @Override
    public String refusesRequests()
    {
        return journal == null ? null : journal.refusesRequests();
    }

    @Override
    public void cutShort()
    {
        if (journal != null)
        {
            journal.cutShort();
        }
    }

    @Override
    public void close()
    {
        if (journal == null)
        {
            run.close();
        }
        else
        {
            journal.close();
        }
    }
}
