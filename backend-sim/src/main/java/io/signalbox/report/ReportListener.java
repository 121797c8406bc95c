// SPDX-License-Identifier: Apache-2.0
package io.signalbox.report;

import io.signalbox.engine.GroupListener;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.DirectBuffer;

/**
 * Collects a {@link RunReport} from groups only. Rows of CHUNKED completions are not in the groups and come through
 * {@link #onChunkedRows}.
 */
public final class ReportListener implements GroupListener
{
    public ReportListener(final SchedulerConfig config)
    {
        config.settings();
    }

    @Override
    public void onGroup(final DirectBuffer group, final int offset, final int length)
    {
    }

    /**
     * Counts rows that travel outside their group. May be called from another thread than {@link #onGroup}, but not
     * during {@link #report}.
     */
    public void onChunkedRows(final DirectBuffer rows, final int offset, final int rowCount)
    {
    }

    public RunReport report()
    {
        return null;
    }
}
