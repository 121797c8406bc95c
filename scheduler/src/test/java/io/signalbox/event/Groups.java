// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import io.signalbox.event.codec.MessageHeaderEncoder;
import io.signalbox.event.codec.ScheduleEncoder;

/** Builds groups for tests. */
public final class Groups
{
    private Groups()
    {
    }

    /** A group of one input. */
    public static GroupWriter of(final InputWriter input)
    {
        final GroupWriter group = new GroupWriter(256);
        group.append(input.buffer(), 0, input.length());
        return group;
    }

    /** A group of a Wake and the empty plan of a step. */
    public static GroupWriter wakeAndStep(final int rank, final int epoch, final long step)
    {
        final InputWriter wake = new InputWriter();
        wake.wake().timeNanos(1);
        final GroupWriter group = of(wake);
        final ScheduleEncoder plan = new ScheduleEncoder();
        plan.wrapAndApplyHeader(group.buffer(), group.begin(), new MessageHeaderEncoder())
            .step(step).epoch(epoch).rank(rank).tokens(0);
        plan.preemptedCount(0);
        plan.admittedCount(0);
        plan.evictedCount(0);
        plan.tableChangesCount(0);
        plan.pendingCount(0);
        plan.rowsCount(0);
        group.end(MessageHeaderEncoder.ENCODED_LENGTH + plan.encodedLength());
        return group;
    }
}
