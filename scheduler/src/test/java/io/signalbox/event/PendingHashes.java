// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import io.signalbox.event.codec.ScheduleDecoder;

import java.util.ArrayList;
import java.util.List;

/** A hash that the commit of a step registers, and its block. */
public record PendingHashes(long hash, int blockId)
{
    /** Those of a step. */
    public static List<PendingHashes> of(final StepView step)
    {
        final ScheduleDecoder message = step.message();
        message.sbeRewind();
        message.admitted().forEach(admitted -> { });
        message.evicted().forEach(evicted -> { });
        message.tableChanges().forEach(change -> { });
        final List<PendingHashes> pending = new ArrayList<>();
        message.pending().forEach(block -> pending.add(new PendingHashes(block.blockHash(), block.blockId())));
        return pending;
    }
}
