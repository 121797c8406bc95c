// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.step;

import io.signalbox.event.GroupReader;
import io.signalbox.event.codec.TickDecoder;
import org.agrona.DirectBuffer;

/** The scheduler's deadlines as the timer sees them: when the next one may pass, and whether a Tick is in the ring. */
public final class DeadlineWatch
{
    static final long NONE = Long.MAX_VALUE;

    private volatile long nextNanos = NONE;
    private volatile boolean tickUnderWay;

    /**
     * Called by the scheduler thread after each input.
     *
     * @return whether the timer has a Tick to offer at another time than before.
     */
    public boolean applied(final DirectBuffer input, final int length, final long nextDeadlineNanos)
    {
        boolean changed = false;
        if (nextNanos != nextDeadlineNanos)
        {
            nextNanos = nextDeadlineNanos;
            changed = true;
        }
        if (tickUnderWay)
        {
            tickUnderWay = GroupReader.templateAt(input, 0) != TickDecoder.TEMPLATE_ID;
            changed |= !tickUnderWay;
        }
        return changed;
    }

    public long nextNanos()
    {
        return nextNanos;
    }

    /** When a Tick is due; {@link #NONE} also while one is under way. */
    public long nextTickNanos()
    {
        return tickUnderWay ? NONE : nextNanos;
    }

    /** Called by the timer: whether a Tick is due. It is then under way until the scheduler has applied it. */
    public boolean takeDue(final long nowNanos)
    {
        if (tickUnderWay || nextNanos == NONE || nowNanos < nextNanos)
        {
            return false;
        }
        tickUnderWay = true;
        return true;
    }
}
