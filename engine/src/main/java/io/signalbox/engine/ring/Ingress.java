// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.ring;

import com.lmax.disruptor.InsufficientCapacityException;
import com.lmax.disruptor.RingBuffer;
import io.signalbox.backend.CaptureSlice;
import org.agrona.DirectBuffer;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Publishes inputs to the ingress ring. An offer counts itself before it checks whether the ring is open, and closing
 * reads the count after it has shut the ring: each offer is refused or waited for, and none is lost silently.
 */
public final class Ingress
{
    private final RingBuffer<IngressSlot> ring;
    private final InputDoor door;
    private final Runnable checkRunning;
    private final Runnable checkMayWait;
    private final AtomicInteger underWay = new AtomicInteger();
    private volatile boolean shut;

    /**
     * @param checkRunning throws once the scheduler has stopped to read the ring.
     * @param checkMayWait throws if no slot can come free while the current thread waits for one.
     */
    public Ingress(
        final RingBuffer<IngressSlot> ring,
        final InputDoor door,
        final Runnable checkRunning,
        final Runnable checkMayWait)
    {
        this.door = door;
        this.ring = ring;
        this.checkRunning = checkRunning;
        this.checkMayWait = checkMayWait;
    }

    public void offer(final DirectBuffer input, final int offset, final int length, final CaptureSlice rows)
    {
        underWay.incrementAndGet();
        try
        {
            if (shut)
            {
                throw new IllegalStateException("the engine is closed");
            }
            door.check(InputBounds.check(input, offset, length, rows), input, offset, length);
            publish(input, offset, length, rows);
        }
        catch (final RuntimeException | Error e)
        {
            SliceRelease.after(e, rows);
            throw e;
        }
        finally
        {
            underWay.decrementAndGet();
        }
    }

    private void publish(final DirectBuffer input, final int offset, final int length, final CaptureSlice rows)
    {
        final long sequence = claim();
        try
        {
            ring.get(sequence).set(input, offset, length, rows);
        }
        finally
        {
            ring.publish(sequence);
        }
    }

    /** Claims a slot or none: a claim that waits inside the ring would wait indefinitely once the engine has failed. */
    private long claim()
    {
        Waits wait = null;
        for (int spins = 0; ; spins++)
        {
            checkRunning.run();
            try
            {
                final long sequence = ring.tryNext();
                if (wait != null)
                {
                    wait.end();
                }
                return sequence;
            }
            catch (final InsufficientCapacityException e)
            {
                checkMayWait.run();
                wait = wait == null ? Waits.begin(Waits.INGRESS) : wait;
                Pause.pause(spins);
            }
        }
    }

    /** Later offers are refused. */
    public void shut()
    {
        shut = true;
    }

    public boolean isShut()
    {
        return shut;
    }

    /** Call after {@link #shut()}: whether every earlier offer has been published or refused. */
    public boolean isQuiet()
    {
        return underWay.get() == 0;
    }

    public long cursor()
    {
        return ring.getCursor();
    }
}
