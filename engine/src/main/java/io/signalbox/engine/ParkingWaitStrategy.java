// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import com.lmax.disruptor.AlertException;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.WaitStrategy;

import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Spins briefly, then blocks until a publisher signals. Disruptor's own blocking strategy spins while an event is
 * published and a gate before it is shut, and so burns a core for each handler that waits for the journal. This strategy
 * sleeps briefly instead.
 */
final class ParkingWaitStrategy implements WaitStrategy
{
    private static final int SPINS = 100;
    private static final int YIELDS = 100;
    private static final long GATE_PARK_NANOS = 20_000;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition published = lock.newCondition();
    private volatile int blocked;

    @Override
    public long waitFor(
        final long sequence, final Sequence cursor, final Sequence dependent, final SequenceBarrier barrier)
        throws AlertException, InterruptedException
    {
        for (int round = 0; cursor.get() < sequence; round++)
        {
            barrier.checkAlert();
            if (round < SPINS + YIELDS)
            {
                pauseShortly(round);
            }
            else
            {
                block(sequence, cursor, barrier);
            }
        }
        return waitForGate(sequence, dependent, barrier);
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
        lock.lock();
        try
        {
            blocked++;
            // Announce the wait before looking again; the publisher publishes before it looks for waiters.
            VarHandle.fullFence();
            while (cursor.get() < sequence)
            {
                barrier.checkAlert();
                published.await();
            }
        }
        finally
        {
            blocked--;
            lock.unlock();
        }
    }

    @Override
    public void signalAllWhenBlocking()
    {
        VarHandle.fullFence();
        if (blocked > 0)
        {
            lock.lock();
            try
            {
                published.signalAll();
            }
            finally
            {
                lock.unlock();
            }
        }
    }
}
