// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.event.codec.TickDecoder;
import org.agrona.DirectBuffer;

/** What the timer may know of the scheduler's deadlines: when the next one may pass, and whether a Tick is under way. */
final class DeadlineWatch
{
    static final long NONE = Long.MAX_VALUE;

    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private volatile long nextNanos = NONE;
    private volatile boolean tickUnderWay;

    /** To be called by the scheduler's thread, after each input. */
    void applied(final DirectBuffer input, final long nextDeadlineNanos)
    {
        if (nextNanos != nextDeadlineNanos)
        {
            nextNanos = nextDeadlineNanos;
        }
        if (tickUnderWay && header.wrap(input, 0).templateId() == TickDecoder.TEMPLATE_ID)
        {
            tickUnderWay = false;
        }
    }

    /** To be called by the timer: whether a Tick is due, which is then under way until it has been applied. */
    boolean takeDue(final long nowNanos)
    {
        if (tickUnderWay || nextNanos == NONE || nowNanos < nextNanos)
        {
            return false;
        }
        tickUnderWay = true;
        return true;
    }
}
