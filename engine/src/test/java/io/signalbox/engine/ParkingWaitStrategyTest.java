// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import com.lmax.disruptor.AlertException;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ParkingWaitStrategyTest
{
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

    @Test
    void shouldNotWaitForWhatIsPublished() throws Exception
    {
        ring.publish(ring.next());
        assertEquals(0, ring.newBarrier().waitFor(0));
    }
}
