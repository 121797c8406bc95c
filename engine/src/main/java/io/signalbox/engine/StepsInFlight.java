// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.InvariantViolation;
import io.signalbox.event.CommitView;
import io.signalbox.event.EventReader;
import io.signalbox.event.InputWriter;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.WithdrawnDecoder;
import org.agrona.DirectBuffer;

import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * Time since which the device has had each rank's oldest step: from its {@code Schedule}, or from the end of the step
 * before if that came later, until the event that ends it. So only the oldest step of a rank can take too long. Follows
 * the track; the timer asks from its own thread.
 */
public final class StepsInFlight implements GroupListener
{
    private final LongSupplier clock;
    private final long timeoutNanos;
    private final Flights[] flights;
    private final EventReader events = new StepEvents();

    /**
     * @param depth most steps of a rank in flight.
     * @param clock the time at which a group is followed.
     */
    public StepsInFlight(final int ranks, final int depth, final long timeoutNanos, final LongSupplier clock)
    {
        this.timeoutNanos = timeoutNanos;
        this.clock = clock;
        flights = new Flights[ranks];
        Arrays.setAll(flights, rank -> new Flights(depth));
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
        protected void onCommit(final CommitView commit)
        {
            ended(commit.rank(), commit.step());
        }

        @Override
        protected void onWithdrawn(final WithdrawnDecoder withdrawn)
        {
            ended(withdrawn.rank(), withdrawn.step());
        }
    }

    /** A step was planned. */
    public synchronized void launched(final StepView step)
    {
        flights[step.rank()].launched(step, clock);
    }

    /** A step was committed or withdrawn. */
    public synchronized void ended(final int rank, final long step)
    {
        flights[rank].ended(step, clock);
    }

    public int ranks()
    {
        return flights.length;
    }

    /** When the next step will have been in flight for too long; {@link Long#MAX_VALUE} if none is in flight. */
    public synchronized long nextOverdueNanos()
    {
        long next = Long.MAX_VALUE;
        for (final Flights flight : flights)
        {
            next = flight.isWaitedFor() ? Math.min(next, flight.sinceNanos + timeoutNanos) : next;
        }
        return next;
    }

    /**
     * Encodes a {@code StepTimedOut} if the rank's oldest step has been in flight for too long; once per step.
     *
     * @return whether it was encoded.
     */
    public synchronized boolean takeOverdue(final int rank, final long nowNanos, final InputWriter writer)
    {
        final Flights flight = flights[rank];
        if (!flight.isWaitedFor() || nowNanos - flight.sinceNanos < timeoutNanos)
        {
            return false;
        }
        flight.timedOut = flight.steps[0];
        writer.stepTimedOut().timeNanos(nowNanos).step(flight.steps[0]).epoch(flight.epoch).rank(rank);
        return true;
    }

    /** The steps of one rank that are in flight, oldest first; they are of one epoch. */
    private static final class Flights
    {
        private final long[] steps;
        private int size;
        private int epoch;
        private long sinceNanos;
        private long timedOut;

        private Flights(final int depth)
        {
            steps = new long[depth];
        }

        private boolean isWaitedFor()
        {
            return size > 0 && steps[0] != timedOut;
        }

        private void launched(final StepView step, final LongSupplier clock)
        {
            if (size == steps.length)
            {
                throw new InvariantViolation("rank " + step.rank() + " was given step " + step.step() + " while " + size +
                    " steps from step " + steps[0] + " on are in flight");
            }
            sinceNanos = size == 0 ? clock.getAsLong() : sinceNanos;
            steps[size++] = step.step();
            epoch = step.epoch();
        }

        private void ended(final long step, final LongSupplier clock)
        {
            int kept = 0;
            final boolean oldest = size > 0 && steps[0] == step;
            for (int i = 0; i < size; i++)
            {
                steps[kept] = steps[i];
                kept += steps[i] == step ? 0 : 1;
            }
            size = kept;
            sinceNanos = oldest && size > 0 ? clock.getAsLong() : sinceNanos;
        }
    }
}
