// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.ring;

import com.lmax.disruptor.AlertException;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.WaitStrategy;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Spins briefly, then parks until a publisher wakes it. Disruptor's own blocking strategy spins while an event is
 * published and a gate before it is shut, and so burns a core for each handler that waits for the journal. This strategy
 * sleeps briefly instead. It has no lock, which a woken thread would have to wait for.
 *
 * <p>A publisher may also wake the threads that wait for the next ring, where something will come at once: they wake up
 * while the first ring's thread does, and not after it. If publishers wake nobody, their ring has somebody who looks after
 * the sleeping thread: {@code SharedTrack}.
 */
public final class ParkingWaitStrategy implements WaitStrategy
{
    private static final int SPINS = 100;
    private static final int YIELDS = 100;
    private static final long GATE_PARK_NANOS = 20_000;

    /** More threads than wait for one ring. */
    private static final int PLACES = 8;

    private final AtomicReferenceArray<Thread> parked = new AtomicReferenceArray<>(PLACES);
    /** Of the ring that gets something for each event of this one; {@code null}: none. */
    private final ParkingWaitStrategy next;
    private final BooleanSupplier wakesNext;
    private final boolean isSilent;
    private final long pollNanos;

    public ParkingWaitStrategy()
    {
        this(null, () -> false, false, 0);
    }

    private ParkingWaitStrategy(
        final ParkingWaitStrategy next, final BooleanSupplier wakesNext, final boolean isSilent, final long pollNanos)
    {
        this.next = next;
        this.wakesNext = wakesNext;
        this.isSilent = isSilent;
        this.pollNanos = pollNanos;
    }

    /** Its publishers wake nobody. */
    public static ParkingWaitStrategy silent()
    {
        return new ParkingWaitStrategy(null, () -> false, true, 0);
    }

    /**
     * Of the ring ahead of this one.
     *
     * @param wanted    whether its publishers wake the threads of this one as well.
     * @param pollNanos for which its threads yield before they park.
     */
    public ParkingWaitStrategy ahead(final BooleanSupplier wanted, final long pollNanos)
    {
        return new ParkingWaitStrategy(this, wanted, false, pollNanos);
    }

    @Override
    public long waitFor(
        final long sequence, final Sequence cursor, final Sequence dependent, final SequenceBarrier barrier)
        throws AlertException, InterruptedException
    {
        int round = 0;
        while (cursor.get() < sequence)
        {
            barrier.checkAlert();
            if (round < SPINS + YIELDS)
            {
                pauseShortly(round++);
            }
            else if (!poll(sequence, cursor, barrier))
            {
                block(sequence, cursor, barrier);
                // It may have been woken ahead of the event.
                round = 0;
            }
        }
        return waitForGate(sequence, dependent, barrier);
    }

    /** Returns whether the event came meanwhile. */
    private boolean poll(final long sequence, final Sequence cursor, final SequenceBarrier barrier) throws AlertException
    {
        if (pollNanos > 0)
        {
            for (final long start = System.nanoTime(); System.nanoTime() - start < pollNanos && cursor.get() < sequence; )
            {
                barrier.checkAlert();
                Thread.yield();
            }
        }
        return cursor.get() >= sequence;
    }

    private static long waitForGate(final long sequence, final Sequence dependent, final SequenceBarrier barrier)
        throws AlertException
    {
        long available = dependent.get();
        for (int round = 0; available < sequence; round++)
        {
            barrier.checkAlert();
            if (round < SPINS + YIELDS)
            {
                pauseShortly(round);
            }
            else
            {
                LockSupport.parkNanos(GATE_PARK_NANOS);
            }
            available = dependent.get();
        }
        return available;
    }

    private static void pauseShortly(final int round)
    {
        if (round < SPINS)
        {
            Thread.onSpinWait();
        }
        else
        {
            Thread.yield();
        }
    }

    private void block(final long sequence, final Sequence cursor, final SequenceBarrier barrier)
        throws AlertException, InterruptedException
    {
        final int place = takePlace();
        try
        {
            // Announce the wait before looking again; the publisher publishes before it looks for waiters.
            VarHandle.fullFence();
            barrier.checkAlert();
            if (cursor.get() < sequence)
            {
                LockSupport.park(this);
            }
        }
        finally
        {
            // A publisher may have given the place to another thread.
            parked.compareAndSet(place, Thread.currentThread(), null);
        }
        if (Thread.interrupted())
        {
            throw new InterruptedException("interrupted while waiting for group or input " + sequence);
        }
    }

    private int takePlace()
    {
        for (int place = 0; place < PLACES; place++)
        {
            if (parked.compareAndSet(place, null, Thread.currentThread()))
            {
                return place;
            }
        }
        throw new IllegalStateException("more than " + PLACES + " threads wait for one ring");
    }

    @Override
    public void signalAllWhenBlocking()
    {
        VarHandle.fullFence();
        if (!isSilent)
        {
            wakeAll();
        }
        if (wakesNext.getAsBoolean())
        {
            next.wakeAll();
        }
    }

    /** Whether a thread sleeps, or is about to; one that is not looks again for what was published before this call. */
    public boolean isOccupied()
    {
        VarHandle.fullFence();
        boolean isOccupied = false;
        for (int place = 0; place < PLACES && !isOccupied; place++)
        {
            isOccupied = parked.get(place) != null;
        }
        return isOccupied;
    }

    public void wakeAll()
    {
        for (int place = 0; place < PLACES; place++)
        {
            final Thread sleeper = parked.get(place);
            // Woken once: a publisher that comes before the thread runs has nothing to do.
            if (sleeper != null && parked.compareAndSet(place, sleeper, null))
            {
                LockSupport.unpark(sleeper);
            }
        }
    }
}
