// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import com.lmax.disruptor.AlertException;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import io.signalbox.engine.ring.ParkingWaitStrategy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("threads")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ParkingWaitStrategyTest
{
    private static final int SPINS_AND_YIELDS = 200;

    private final RingBuffer<Object> ring = RingBuffer.createSingleProducer(Object::new, 8, new ParkingWaitStrategy());
    private final Sequence gate = new Sequence();

    /** Returns once the waiter sleeps. */
    private FutureTask<Long> waitFor(final SequenceBarrier barrier, final Thread.State sleep)
    {
        final FutureTask<Long> found = new FutureTask<>(() -> barrier.waitFor(0));
        final Thread waiter = new Thread(found, "waiter");
        waiter.setDaemon(true);
        waiter.start();
        while (waiter.getState() != sleep)
        {
            Thread.onSpinWait();
        }
        return found;
    }

    @Test
    void shouldBlockUntilAnEventIsPublished() throws Exception
    {
        final FutureTask<Long> found = waitFor(ring.newBarrier(), Thread.State.WAITING);
        ring.publish(ring.next());
        assertEquals(0, found.get());
    }

    @Test
    void shouldSleepInsteadOfSpinningWhileAGateIsShut() throws Exception
    {
        ring.publish(ring.next());
        final FutureTask<Long> found = waitFor(ring.newBarrier(gate), Thread.State.TIMED_WAITING);
        gate.set(0);
        assertEquals(0, found.get());
    }

    @Test
    void shouldLetABlockedThreadGoWhenItsBarrierIsAlerted()
    {
        final SequenceBarrier barrier = ring.newBarrier();
        final FutureTask<Long> found = waitFor(barrier, Thread.State.WAITING);
        barrier.alert();
        assertInstanceOf(AlertException.class, assertThrows(ExecutionException.class, found::get).getCause());
    }

    @Test
    void shouldLetAThreadGoThatSleepsBehindAGateWhenItsBarrierIsAlerted()
    {
        ring.publish(ring.next());
        final SequenceBarrier barrier = ring.newBarrier(gate);
        final FutureTask<Long> found = waitFor(barrier, Thread.State.TIMED_WAITING);
        barrier.alert();
        assertInstanceOf(AlertException.class, assertThrows(ExecutionException.class, found::get).getCause());
    }

    /** A thread that was woken must not erase the announcement of another one that has come since. */
    @Test
    void shouldWakeEveryThreadForEachEvent() throws Exception
    {
        final int events = 20_000;
        final Sequence[] followers = {new Sequence(), new Sequence(), new Sequence()};
        ring.addGatingSequences(followers);
        final FutureTask<?>[] waiters = new FutureTask<?>[followers.length];
        for (int i = 0; i < waiters.length; i++)
        {
            final Sequence follower = followers[i];
            final SequenceBarrier barrier = ring.newBarrier();
            waiters[i] = new FutureTask<Void>(() ->
            {
                while (follower.get() < events - 1)
                {
                    follower.set(barrier.waitFor(follower.get() + 1));
                }
                return null;
            });
            final Thread thread = new Thread(waiters[i], "waiter");
            thread.setDaemon(true);
            thread.start();
        }
        for (int event = 0; event < events; event++)
        {
            final long sequence = ring.next();
            ring.publish(sequence);
            // Lets the waiters fall asleep now and then.
            for (int round = 0; event % 64 == 0 && round < 2 * (SPINS_AND_YIELDS + 1); round++)
            {
                Thread.yield();
            }
        }
        for (final FutureTask<?> waiter : waiters)
        {
            waiter.get();
        }
    }

    /** It then wakes up while the first ring's thread does; there is nothing yet, so it waits on. */
    @Test
    void shouldWakeAThreadThatWaitsForTheNextRing() throws Exception
    {
        final ParkingWaitStrategy waits = new ParkingWaitStrategy();
        final RingBuffer<Object> first = RingBuffer.createMultiProducer(Object::new, 8, waits.ahead(() -> true, 0));
        final Sequence cursor = new Sequence();
        final CountingBarrier looks = new CountingBarrier();
        final FutureTask<Long> found = new FutureTask<>(() -> waits.waitFor(0, cursor, cursor, looks));
        final Thread waiter = new Thread(found, "waiter");
        waiter.setDaemon(true);
        waiter.start();
        for (int event = 0; event < 5; event++)
        {
            awaitSleep(waiter);
            final long before = looks.count.get();
            first.publish(first.next());
            while (looks.count.get() == before)
            {
                Thread.onSpinWait();
            }
        }
        awaitSleep(waiter);
        cursor.set(0);
        waits.signalAllWhenBlocking();
        assertEquals(0, found.get());
    }

    @Test
    void shouldTellThatAThreadSleepsIfNoPublisherWakesIt() throws Exception
    {
        final ParkingWaitStrategy waits = ParkingWaitStrategy.silent();
        final RingBuffer<Object> silent = RingBuffer.createSingleProducer(Object::new, 8, waits);
        assertFalse(waits.isOccupied());
        final FutureTask<Long> found = waitFor(silent.newBarrier(), Thread.State.WAITING);
        silent.publish(silent.next());
        assertTrue(waits.isOccupied());
        assertFalse(found.isDone());
        waits.wakeAll();
        assertEquals(0, found.get());
        assertFalse(waits.isOccupied());
    }

    @Test
    void shouldPollBeforeItSleepsAndNotWhenItEnds() throws Exception
    {
        final ParkingWaitStrategy waits = ParkingWaitStrategy.silent().ahead(() -> false, Long.MAX_VALUE);
        final RingBuffer<Object> polled = RingBuffer.createMultiProducer(Object::new, 8, waits);
        final SequenceBarrier barrier = polled.newBarrier();
        final CountingBarrier looks = new CountingBarrier();
        final Sequence cursor = new Sequence();
        final FutureTask<Long> found = new FutureTask<>(() -> waits.waitFor(0, cursor, cursor, looks));
        final FutureTask<Long> ended = new FutureTask<>(() -> barrier.waitFor(0));
        for (final FutureTask<Long> task : List.of(found, ended))
        {
            final Thread waiter = new Thread(task, "waiter");
            waiter.setDaemon(true);
            waiter.start();
        }
        while (looks.count.get() < 2 * SPINS_AND_YIELDS)
        {
            Thread.onSpinWait();
        }
        // Nobody wakes it.
        cursor.set(0);
        assertEquals(0, found.get());
        barrier.alert();
        assertInstanceOf(AlertException.class, assertThrows(ExecutionException.class, ended::get).getCause());
    }

    private static void awaitSleep(final Thread waiter)
    {
        while (waiter.getState() != Thread.State.WAITING)
        {
            Thread.onSpinWait();
        }
    }

    /** Counts how often a waiting thread looks. */
    private static final class CountingBarrier implements SequenceBarrier
    {
        private final AtomicLong count = new AtomicLong();

        @Override
        public void checkAlert()
        {
            count.incrementAndGet();
        }

        @Override
        public long waitFor(final long sequence)
        {
            throw new UnsupportedOperationException();
        }

        @Override
        public long getCursor()
        {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isAlerted()
        {
            return false;
        }

        @Override
        public void alert()
        {
            throw new UnsupportedOperationException();
        }

        @Override
        public void clearAlert()
        {
            throw new UnsupportedOperationException();
        }
    }

    @Test
    void shouldNotWaitForWhatIsPublished() throws Exception
    {
        ring.publish(ring.next());
        assertEquals(0, ring.newBarrier().waitFor(0));
    }
}
