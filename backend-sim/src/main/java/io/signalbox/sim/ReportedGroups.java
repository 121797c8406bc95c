// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.engine.GroupJournal;
import io.signalbox.report.ReportListener;
import org.agrona.DirectBuffer;

/** Keeps nothing, and shows the report each group in the place of a journal. */
final class ReportedGroups implements GroupJournal
{
    private final ReportListener report;

    ReportedGroups(final ReportListener report)
    {
        this.report = report;
    }

    @Override
    public void append(
        final long timeNanos, final DirectBuffer group, final int offset, final int length, final CaptureSlice rows)
    {
        report.onGroup(group, offset, length);
    }

    @Override
    public void endOfBatch()
    {
    }

    @Override
    public void close()
    {
    }
}
