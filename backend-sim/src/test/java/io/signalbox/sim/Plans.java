// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.event.StepView;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.MessageHeaderEncoder;
import io.signalbox.event.codec.ScheduleEncoder;
import org.agrona.ExpandableArrayBuffer;

/** Step plans made by hand. */
final class Plans
{
    /** One entry of a plan. */
    record Entry(long requestId, int start, int tokenCount)
    {
    }

    private Plans()
    {
    }

    /** A plan whose other parts are not empty. */
    static StepView plan(final int rank, final long step, final Entry... entries)
    {
        final ExpandableArrayBuffer buffer = new ExpandableArrayBuffer();
        final ScheduleEncoder plan = new ScheduleEncoder().wrapAndApplyHeader(buffer, 0, new MessageHeaderEncoder());
        int tokens = 0;
        for (final Entry entry : entries)
        {
            tokens += entry.tokenCount();
        }
        plan.step(step).epoch(0).rank(rank).tokens(tokens);
        plan.admittedCount(1).next().requestId(99).matchedBlocks(3).resumed(Flag.NO);
        plan.evictedCount(2).next().blockHash(5).blockId(6).next().blockHash(7).blockId(8);
        plan.tableChangesCount(0);
        plan.pendingCount(1).next().blockHash(5).blockId(6);
        final ScheduleEncoder.EntriesEncoder encoder = plan.entriesCount(entries.length);
        for (final Entry entry : entries)
        {
            encoder.next().requestId(entry.requestId()).start(entry.start()).tokenCount(entry.tokenCount())
                .predecessorEntry(0).slack(0).clip(0).predecessorBack((short)0).drafts((short)0).samples(Flag.YES);
        }
        return new StepView().wrap(buffer, 0);
    }
}
