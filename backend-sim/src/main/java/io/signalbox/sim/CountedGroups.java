// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.engine.GroupJournal;
import io.signalbox.report.ReportListener;
import org.agrona.DirectBuffer;

/** In the place of a journal that a run does not have: only the report reads the groups, in the thread that would write. */
final class CountedGroups implements GroupJournal
{
    private final ReportListener report;

    CountedGroups(final ReportListener report)
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
