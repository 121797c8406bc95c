// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.event.GroupReader;
import io.signalbox.event.InputWriter;
import io.signalbox.event.codec.BackendFaultDecoder;
import io.signalbox.event.codec.BackendResetDecoder;
import io.signalbox.event.codec.D2hCompleteDecoder;
import io.signalbox.event.codec.ScheduleDecoder;
import io.signalbox.event.codec.StepTimedOutDecoder;
import org.agrona.DirectBuffer;

import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * Since when each rank's step has been in flight: from the {@code Schedule} on its way to the backend until the group
 * that ends it. Follows the track; the timer asks from a thread of its own.
 */
final class StepsInFlight implements GroupListener
{
    private static final long NONE = -1;

    private final LongSupplier clock;
    private final long timeoutNanos;
    private final long[] steps;
    private final int[] epochs;
    private final long[] sinceNanos;
    private final GroupReader reader = new GroupReader();
    private final ScheduleDecoder schedule = new ScheduleDecoder();
    private final D2hCompleteDecoder d2hComplete = new D2hCompleteDecoder();
    private final BackendFaultDecoder backendFault = new BackendFaultDecoder();
    private final StepTimedOutDecoder stepTimedOut = new StepTimedOutDecoder();

    StepsInFlight(final int ranks, final long timeoutNanos, final LongSupplier clock)
    {
        this.timeoutNanos = timeoutNanos;
        this.clock = clock;
        steps = new long[ranks];
        epochs = new int[ranks];
        sinceNanos = new long[ranks];
        Arrays.fill(steps, NONE);
    }

    @Override
    public synchronized void onGroup(final DirectBuffer group, final int offset, final int length)
    {
        reader.wrap(group, offset, length);
        while (reader.next())
        {
            final int at = reader.offset();
            switch (reader.templateId())
            {
                case ScheduleDecoder.TEMPLATE_ID -> launched(schedule.wrapAndApplyHeader(group, at, reader.header()));
                case D2hCompleteDecoder.TEMPLATE_ID ->
                {
                    d2hComplete.wrapAndApplyHeader(group, at, reader.header());
                    landed(d2hComplete.rank(), d2hComplete.epoch(), d2hComplete.step());
                }
                case BackendFaultDecoder.TEMPLATE_ID ->
                {
                    backendFault.wrapAndApplyHeader(group, at, reader.header());
                    landed(backendFault.rank(), backendFault.epoch(), backendFault.step());
                }
                case StepTimedOutDecoder.TEMPLATE_ID ->
                {
                    stepTimedOut.wrapAndApplyHeader(group, at, reader.header());
                    landed(stepTimedOut.rank(), stepTimedOut.epoch(), stepTimedOut.step());
                }
                case BackendResetDecoder.TEMPLATE_ID -> Arrays.fill(steps, NONE);
                default ->
                {
                }
            }
        }
    }

    private void launched(final ScheduleDecoder plan)
    {
        steps[plan.rank()] = plan.step();
        epochs[plan.rank()] = plan.epoch();
        sinceNanos[plan.rank()] = clock.getAsLong();
    }

    private void landed(final int rank, final int epoch, final long step)
    {
        if (steps[rank] == step && epochs[rank] == epoch)
        {
            steps[rank] = NONE;
        }
    }

    int ranks()
    {
        return steps.length;
    }

    /**
     * Encodes a {@code StepTimedOut} when the rank's step has been in flight for too long; tells so once per step.
     *
     * @return whether there is one.
     */
    synchronized boolean takeOverdue(final int rank, final long nowNanos, final InputWriter writer)
    {
        if (steps[rank] == NONE || nowNanos - sinceNanos[rank] < timeoutNanos)
        {
            return false;
        }
        writer.stepTimedOut().timeNanos(nowNanos).step(steps[rank]).epoch(epochs[rank]).rank(rank);
        steps[rank] = NONE;
        return true;
    }
}
