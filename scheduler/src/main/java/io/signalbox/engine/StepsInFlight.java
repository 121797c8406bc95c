// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.InvariantViolation;
import io.signalbox.event.EventReader;
import io.signalbox.event.InputWriter;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.BackendFaultDecoder;
import io.signalbox.event.codec.BackendResetDecoder;
import io.signalbox.event.codec.D2hCompleteDecoder;
import io.signalbox.event.codec.StepTimedOutDecoder;
import org.agrona.DirectBuffer;

import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * Time since which each rank's step has been in flight: from its {@code Schedule} until the event that ends it. At most
 * one step of a rank is in flight. It reads the track; the timer calls it from another thread.
 */
final class StepsInFlight implements GroupListener
{
    private static final long NONE = -1;

    private final LongSupplier clock;
    private final long timeoutNanos;
    private final long[] steps;
    private final int[] epochs;
    private final long[] sinceNanos;
    private final StepEvents events = new StepEvents();

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
        events.readGroup(group, offset, length);
    }

    /** The events that begin or end a step. */
    private final class StepEvents extends EventReader
    {
        @Override
        protected void onSchedule(final StepView step)
        {
            launched(step);
        }

        @Override
        protected void onD2hComplete(final D2hCompleteDecoder completion)
        {
            landed(completion.rank(), completion.epoch(), completion.step());
        }

        @Override
        protected void onBackendFault(final BackendFaultDecoder fault)
        {
            landed(fault.rank(), fault.epoch(), fault.step());
        }

        @Override
        protected void onStepTimedOut(final StepTimedOutDecoder timeout)
        {
            landed(timeout.rank(), timeout.epoch(), timeout.step());
        }

        @Override
        protected void onBackendReset(final BackendResetDecoder reset)
        {
            Arrays.fill(steps, NONE);
        }
    }

    private void launched(final StepView step)
    {
        if (steps[step.rank()] != NONE)
        {
            throw new InvariantViolation("rank " + step.rank() + " was given step " + step.step() + " while step " +
                steps[step.rank()] + " is in flight");
        }
        steps[step.rank()] = step.step();
        epochs[step.rank()] = step.epoch();
        sinceNanos[step.rank()] = clock.getAsLong();
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
     * Encodes a {@code StepTimedOut} if the rank's step has been in flight for too long; once per step.
     *
     * @return whether it was encoded.
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
