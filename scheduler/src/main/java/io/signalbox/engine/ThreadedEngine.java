// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import com.lmax.disruptor.BatchEventProcessor;
import com.lmax.disruptor.BatchEventProcessorBuilder;
import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.BusySpinWaitStrategy;
import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.WaitStrategy;
import io.signalbox.ConfigException;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.experts.RequestRows;
import org.agrona.DirectBuffer;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * The engine with its rings: inputs from many producers meet in the ingress ring, the scheduler thread turns each into
 * one group on the track ring, and the track's handlers follow behind gates.
 *
 * <pre>
 *   offer → ingress ring → scheduler → track ring → journal ─ appended ─► dispatch → backend
 *                                                       └──── durable ──► listener
 * </pre>
 *
 * An exception in any handler stops the engine: it takes no further input, lets nobody wait, and names its cause to
 * every caller.
 */
public final class ThreadedEngine implements Engine
{
    private static final int THREADS = 4;
    private static final long PARK_NANOS = 50_000;

    private final EngineContext context;
    private final RingBuffer<IngressSlot> ingress;
    private final RingBuffer<TrackSlot> track;
    private final BatchEventProcessor<IngressSlot> schedulerProcessor;
    private final BatchEventProcessor<TrackSlot> journalProcessor;
    private final BatchEventProcessor<TrackSlot> dispatchProcessor;
    private final BatchEventProcessor<TrackSlot> listenerProcessor;
    private final Map<Long, RequestRows> finishedRows = new ConcurrentHashMap<>();
    private final Thread[] threads;
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private volatile boolean closing;
    private volatile boolean closed;

    public ThreadedEngine(final EngineContext context)
    {
        this.context = context.conclude();
        refuseTooManySpinners();
        ingress = RingBuffer.createMultiProducer(IngressSlot::new, context.ingressSlots(), waitStrategy());
        track = RingBuffer.createSingleProducer(TrackSlot::new, context.trackSlots(), waitStrategy());

        final JournalHandler journalHandler = new JournalHandler(this, context.journal());
        final Sequence durable = journalHandler.durable();
        final SchedulerHandler schedulerHandler = new SchedulerHandler(this, context, track, finishedRows);
        schedulerProcessor = processor(ingress, ingress.newBarrier(), schedulerHandler);
        journalProcessor = processor(track, track.newBarrier(), journalHandler);
        dispatchProcessor = processor(
            track, track.newBarrier(journalProcessor.getSequence()), new DispatchHandler(this, context.backend()));
        listenerProcessor = processor(track, track.newBarrier(durable), new ListenerHandler(this, context.listener()));
        ingress.addGatingSequences(schedulerProcessor.getSequence());
        track.addGatingSequences(dispatchProcessor.getSequence(), listenerProcessor.getSequence());

        context.backend().start(
            context.config().ranks(), context.config().capture(), new IngressSink(this, context.config().ranks()));
        threads = new Thread[] {
            start("signalbox-scheduler", schedulerProcessor),
            start("signalbox-journal", journalProcessor),
            start("signalbox-dispatch", dispatchProcessor),
            start("signalbox-listener", listenerProcessor)
        };
    }

    private void refuseTooManySpinners()
    {
        final int cores = Runtime.getRuntime().availableProcessors();
        if (context.waiting() == EngineContext.Waiting.SPINNING && cores < THREADS)
        {
            throw new ConfigException("spinning needs a core for each of the engine's " + THREADS +
                " threads but there are " + cores + "; wait by blocking.");
        }
    }

    private WaitStrategy waitStrategy()
    {
        return context.waiting() == EngineContext.Waiting.SPINNING ? new BusySpinWaitStrategy() : new BlockingWaitStrategy();
    }

    private <T> BatchEventProcessor<T> processor(
        final RingBuffer<T> ring, final SequenceBarrier barrier, final EventHandler<T> handler)
    {
        final BatchEventProcessor<T> processor = new BatchEventProcessorBuilder().build(ring, barrier, handler);
        processor.setExceptionHandler(new HaltingExceptionHandler<>(this));
        return processor;
    }

    private static Thread start(final String name, final Runnable work)
    {
        final Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    @Override
    public void offer(final DirectBuffer input, final int offset, final int length, final CaptureSlice rows)
    {
        if (closing)
        {
            throw new IllegalStateException("the engine is closed");
        }
        awaitIngressRoom();
        final long sequence = ingress.next();
        try
        {
            ingress.get(sequence).set(input, offset, length, rows);
        }
        finally
        {
            ingress.publish(sequence);
        }
    }

    /** Does not claim a slot before there is room, so that a failed engine leaves no producer waiting inside the ring. */
    private void awaitIngressRoom()
    {
        int spins = 0;
        while (!ingress.hasAvailableCapacity(1))
        {
            checkRunning();
            pause(spins++);
        }
        checkRunning();
    }

    @Override
    public RequestRows rows(final long requestId)
    {
        return finishedRows.get(requestId);
    }

    @Override
    public void awaitProcessed()
    {
        awaitProcessed(Long.MAX_VALUE);
    }

    private boolean awaitProcessed(final long timeoutNanos)
    {
        final long start = System.nanoTime();
        int spins = 0;
        while (!isProcessed())
        {
            checkRunning();
            if (System.nanoTime() - start > timeoutNanos)
            {
                return false;
            }
            pause(spins++);
        }
        checkRunning();
        return true;
    }

    private boolean isProcessed()
    {
        if (schedulerProcessor.getSequence().get() < ingress.getCursor())
        {
            return false;
        }
        // Read after the scheduler has caught up: everything it led to is on the track by then.
        final long last = track.getCursor();
        return dispatchProcessor.getSequence().get() >= last && listenerProcessor.getSequence().get() >= last;
    }

    static void pause(final int spins)
    {
        if (spins < 100)
        {
            Thread.onSpinWait();
        }
        else if (spins < 1000)
        {
            Thread.yield();
        }
        else
        {
            LockSupport.parkNanos(PARK_NANOS);
        }
    }

    void checkRunning()
    {
        final Throwable cause = failure.get();
        if (cause != null)
        {
            throw new IllegalStateException("the engine has failed: " + cause.getMessage(), cause);
        }
        if (closed)
        {
            throw new IllegalStateException("the engine is closed");
        }
    }

    boolean isFailed()
    {
        return failure.get() != null;
    }

    /** The cause for which the engine stopped, or null. */
    public Throwable failure()
    {
        return failure.get();
    }

    void fail(final Throwable cause)
    {
        if (failure.compareAndSet(null, cause))
        {
            haltAll();
            context.failureListener().accept(cause);
        }
    }

    private void haltAll()
    {
        schedulerProcessor.halt();
        journalProcessor.halt();
        dispatchProcessor.halt();
        listenerProcessor.halt();
    }

    /** Backend first, so that no completion comes any more; then what is in the rings is processed and journaled. */
    @Override
    public void close()
    {
        if (closed)
        {
            return;
        }
        context.backend().close();
        closing = true;
        try
        {
            if (!isFailed() && !awaitProcessed(context.closeTimeoutNanos()))
            {
                throw new IllegalStateException("the engine still had work after " + context.closeTimeoutNanos() + " ns");
            }
        }
        finally
        {
            closed = true;
            haltAll();
            joinThreads();
            context.journal().close();
        }
    }

    private void joinThreads()
    {
        final long deadline = System.nanoTime() + context.closeTimeoutNanos();
        for (final Thread thread : threads)
        {
            try
            {
                thread.join(Math.max(1, (deadline - System.nanoTime()) / 1_000_000));
            }
            catch (final InterruptedException e)
            {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
