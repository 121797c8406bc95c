// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.event.codec.MessageHeaderEncoder;
import io.signalbox.event.codec.ScheduleDecoder;
import io.signalbox.event.codec.ScheduleEncoder;
import org.agrona.ExpandableArrayBuffer;

/** Step plans made by hand. */
final class Plans
{
    /** One row of a plan. */
    record Row(long requestId, int start, int tokenCount)
    {
    }

    private Plans()
    {
    }

    static ScheduleDecoder plan(final int rank, final long step, final Row... rows)
    {
        final ExpandableArrayBuffer buffer = new ExpandableArrayBuffer();
        final ScheduleEncoder plan = new ScheduleEncoder().wrapAndApplyHeader(buffer, 0, new MessageHeaderEncoder());
        int tokens = 0;
        for (final Row row : rows)
        {
            tokens += row.tokenCount();
        }
        plan.step(step).epoch(0).rank(rank).tokens(tokens);
        plan.preemptedCount(1).next().requestId(99).releasedBlocks(3);
        plan.admittedCount(0);
        plan.evictedCount(2).next().blockHash(5).blockId(6).next().blockHash(7).blockId(8);
        plan.tableChangesCount(0);
        plan.pendingCount(1).next().blockHash(5).blockId(6);
        final ScheduleEncoder.RowsEncoder encoder = plan.rowsCount(rows.length);
        for (final Row row : rows)
        {
            encoder.next().requestId(row.requestId()).start(row.start()).tokenCount(row.tokenCount());
        }
        return new ScheduleDecoder().wrapAndApplyHeader(buffer, 0, new MessageHeaderDecoder());
    }
}
