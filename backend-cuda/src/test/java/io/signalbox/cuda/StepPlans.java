// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.event.codec.MessageHeaderEncoder;
import io.signalbox.event.codec.ScheduleDecoder;
import io.signalbox.event.codec.ScheduleEncoder;
import org.agrona.ExpandableArrayBuffer;

/** Step plans made by hand. */
final class StepPlans
{
    static final int EPOCH = 5;

    private StepPlans()
    {
    }

    /** A plan with one row for each request, of so many tokens from position 3. */
    static ScheduleDecoder plan(final int rank, final long step, final int rowTokens, final long... requests)
    {
        final ExpandableArrayBuffer buffer = new ExpandableArrayBuffer();
        final ScheduleEncoder plan = new ScheduleEncoder().wrapAndApplyHeader(buffer, 0, new MessageHeaderEncoder());
        plan.step(step).epoch(EPOCH).rank(rank).tokens(rowTokens * requests.length);
        plan.preemptedCount(0);
        plan.admittedCount(0);
        plan.evictedCount(0);
        plan.tableChangesCount(0);
        plan.pendingCount(0);
        final ScheduleEncoder.RowsEncoder rows = plan.rowsCount(requests.length);
        for (final long request : requests)
        {
            rows.next().requestId(request).start(3).tokenCount(rowTokens);
        }
        return new ScheduleDecoder().wrapAndApplyHeader(buffer, 0, new MessageHeaderDecoder());
    }
}
