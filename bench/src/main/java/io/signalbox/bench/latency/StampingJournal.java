// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench.latency;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.engine.GroupJournal;
import org.agrona.DirectBuffer;

import java.util.Map;

/**
 * Stamps the groups of a request that is alone in the engine: its Submit, the Wake with its plan, Forward, and D2hComplete
 * with its token.
 */
final class StampingJournal implements GroupJournal
{
    private static final int GROUPS = 4;

    private final GroupJournal journal;
    private final StageTimes times;
    private int groups;

    StampingJournal(final GroupJournal journal, final StageTimes times)
    {
        this.journal = journal;
        this.times = times;
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
        groups = groups % GROUPS + 1;
        if (groups == 1)
        {
            times.stamp(StageTimes.Stage.JOURNAL_HAS_SUBMIT);
        }
        else if (groups == GROUPS)
        {
            times.stamp(StageTimes.Stage.JOURNAL_HAS_RESULT);
        }
        journal.append(timeNanos, group, offset, length, rows);
        if (groups == 2)
        {
            times.stamp(StageTimes.Stage.SCHEDULE_APPENDED);
        }
    }

    @Override
    public void endOfBatch()
    {
        journal.endOfBatch();
        if (groups == GROUPS)
        {
            times.stamp(StageTimes.Stage.RESULT_DURABLE);
        }
    }

    @Override
    public void close()
    {
        journal.close();
    }
}
