// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import com.lmax.disruptor.AlertException;
import com.lmax.disruptor.EventProcessor;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import io.signalbox.engine.ring.IngressSlot;
import io.signalbox.engine.ring.ParkingWaitStrategy;
import io.signalbox.engine.ring.Pause;
import io.signalbox.engine.ring.TrackSlot;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The handlers of the track, run by one thread at a time: by the track's own thread if there is much to do, else by the
 * scheduler's while the other one sleeps. A request that is alone in the engine then wakes one thread of it and not two,
 * and its groups stay on one core. A journal that may wait for its disk always has the track's thread.
 */
final class SharedTrack implements EventProcessor
{
    static final String THREAD = "signalbox-track";
    /** A result is visible only after the whole batch was handled. */
    private static final int MAX_BATCH = 256;
    /** More groups than a request that is alone has between two of its waits: work for two threads. */
    private static final int FEW = 4;

    private final ThreadedEngine engine;
    private final RingBuffer<IngressSlot> ingress;
    private final RingBuffer<TrackSlot> track;
    private final GroupJournal journal;
    private final TrackHandler handler;
    private final ParkingWaitStrategy waits;
    private final SequenceBarrier barrier;
    /** The last group that the journal has; written by the thread that has {@link #busy}. */
    private final Sequence appended = new Sequence();
    private final AtomicBoolean busy = new AtomicBoolean();

    /** @param waits where the track's thread sleeps, if it does; nobody else sleeps there, and no publisher wakes it. */
    SharedTrack(
        final ThreadedEngine engine,
        final RingBuffer<IngressSlot> ingress,
        final RingBuffer<TrackSlot> track,
        final GroupJournal journal,
        final TrackHandler handler,
        final ParkingWaitStrategy waits)
    {
        this.engine = engine;
        this.ingress = ingress;
        this.track = track;
        this.journal = journal;
        this.handler = handler;
        this.waits = waits;
        barrier = track.newBarrier();
    }

    /** The work of the track's thread. */
    @Override
    public void run()
    {
        while (!barrier.isAlerted())
        {
            try
            {
                barrier.waitFor(appended.get() + 1);
                takeOver();
                handleAndLeave();
            }
            catch (final AlertException e)
            {
                // It is halted.
                return;
            }
            catch (final Exception | Error e)
            {
                engine.fail(e);
            }
        }
    }

    private void takeOver() throws AlertException
    {
        for (int round = 0; !busy.compareAndSet(false, true); round++)
        {
            barrier.checkAlert();
            Pause.pause(round);
        }
    }

    private void handleAndLeave()
    {
        try
        {
            handle();
        }
        finally
        {
            busy.set(false);
        }
    }

    private void handle()
    {
        final long first = appended.get() + 1;
        final long last = Math.min(track.getCursor(), appended.get() + MAX_BATCH);
        for (long sequence = first; sequence <= last; sequence++)
        {
            try
            {
                handler.onEvent(track.get(sequence), sequence, sequence == last);
            }
            catch (final Exception | Error e)
            {
                engine.fail(e);
                handler.skipTo(sequence);
            }
        }
        appended.set(last);
    }

    /**
     * The scheduler has published groups. If the track's thread sleeps, it is woken, or the calling thread does its work.
     *
     * @param last the scheduler has no further input at hand.
     */
    void published(final boolean last)
    {
        // A thread that does not sleep looks for groups before it does.
        if (!waits.isOccupied())
        {
            return;
        }
        if (!journal.neverWaits() || isMuch())
        {
            waits.wakeAll();
        }
        else if (last && busy.compareAndSet(false, true))
        {
            handleAndLeave();
        }
    }

    /** Much to do, or so many inputs in the ring that those of a backend or a listener might find no room. */
    private boolean isMuch()
    {
        return track.getCursor() - appended.get() > FEW || ingress.remainingCapacity() < ingress.getBufferSize() / 2;
    }

    /** The track is full. */
    void hurry()
    {
        waits.wakeAll();
    }

    /** The last group that no handler needs any more. */
    @Override
    public Sequence getSequence()
    {
        return handler.visible();
    }

    /** The last group that is in the journal. */
    Sequence appended()
    {
        return appended;
    }

    @Override
    public void halt()
    {
        barrier.alert();
        waits.wakeAll();
    }

    @Override
    public boolean isRunning()
    {
        return !barrier.isAlerted();
    }
}
