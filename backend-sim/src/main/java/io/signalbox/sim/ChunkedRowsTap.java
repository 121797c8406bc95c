// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.engine.GroupJournal;
import io.signalbox.event.GroupReader;
import io.signalbox.event.codec.CommitDecoder;
import io.signalbox.report.ReportListener;
import org.agrona.DirectBuffer;

import java.util.Map;

/**
 * Shows the report the rows that travel beside their group, as the journal sees them too. Rows of a completion that the
 * scheduler ignored, because it came too late, do not count.
 */
public final class ChunkedRowsTap implements GroupJournal
{
    private final GroupJournal journal;
    private final ReportListener report;

    /** @param journal receives the groups next. */
    public ChunkedRowsTap(final GroupJournal journal, final ReportListener report)
    {
        this.journal = journal;
        this.report = report;
    }

    @Override
    public Map<String, String> runDescription()
    {
        return journal.runDescription();
    }

    @Override
    public void append(
        final long timeNanos, final DirectBuffer group, final int offset, final int length, final CaptureSlice rows)
    {
        if (rows != null && GroupReader.has(CommitDecoder.TEMPLATE_ID, group, offset, length))
        {
            report.onChunkedRows(rows.buffer(), rows.offset(), rows.rowCount());
        }
        journal.append(timeNanos, group, offset, length, rows);
    }

    @Override
    public void endOfBatch()
    {
        journal.endOfBatch();
    }

    @Override
    public String refusesRequests()
    {
        return journal.refusesRequests();
    }

    @Override
    public void cutShort()
    {
        journal.cutShort();
    }

    @Override
    public void close()
    {
        journal.close();
    }
}
