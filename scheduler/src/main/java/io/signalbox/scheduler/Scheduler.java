// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.event.GroupWriter;
import org.agrona.DirectBuffer;

/** The state machine: one input in, one group out. Skeleton signature; replaced by the real core. */
public final class Scheduler
{
    public Scheduler(final SchedulerConfig config)
    {
        config.settings();
    }

    /**
     * Applies one input and writes its whole group: the input, then every output.
     *
     * @param rows  the routed-expert rows of a {@code D2hComplete} whose form is CHUNKED, else null.
     * @param group appended to; the caller resets it.
     */
    public void apply(
        final DirectBuffer input,
        final int offset,
        final int length,
        final DirectBuffer rows,
        final int rowsOffset,
        final GroupWriter group)
    {
        group.append(input, offset, length);
    }

    /** Time of the last applied input. */
    public long timeNanos()
    {
        return 0;
    }
}
