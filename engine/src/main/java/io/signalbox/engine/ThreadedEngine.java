// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import com.lmax.disruptor.BatchEventProcessor;
import com.lmax.disruptor.BatchEventProcessorBuilder;
import com.lmax.disruptor.BusySpinWaitStrategy;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.WaitStrategy;
import com.lmax.disruptor.YieldingWaitStrategy;
import io.signalbox.ConfigException;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.engine.ring.Alarm;
import io.signalbox.engine.ring.EngineFailure;
import io.signalbox.engine.ring.EngineLife;
import io.signalbox.engine.ring.EngineThreads;
import io.signalbox.engine.ring.HaltingExceptionHandler;
import io.signalbox.engine.ring.Ingress;
import io.signalbox.engine.ring.IngressSlot;
import io.signalbox.engine.ring.Nanos;
import io.signalbox.engine.ring.ParkingWaitStrategy;
import io.signalbox.engine.ring.Pause;
import io.signalbox.engine.ring.TrackSlot;
import io.signalbox.engine.step.ClosingSteps;
import io.signalbox.engine.step.DeadlineWatch;
import io.signalbox.experts.RequestRows;
import io.signalbox.stats.EngineStats;
import org.agrona.DirectBuffer;

import java.util.List;
import java.util.function.LongSupplier;

/**
 * The engine with its rings: inputs from many producers meet in the ingress ring, the scheduler thread turns each into
 * one group on the track ring, and gates order the track's handlers.
 *
 * <pre>
 *   offer → ingress ring → scheduler → track ring → journal ─ appended ─► dispatch → backend
 *     ▲                                                 └──── durable ──► listener
 *     └── timer: deadlines, steps that take too long
 * </pre>
 *
 * With few cores one thread runs the three handlers of the track, in the same order, or the scheduler's does while that one
 * sleeps.
 *
 * <p>An exception in any handler stops the engine: it accepts no further input, releases every waiting caller, and names
 * its cause to every caller. The timer runs only if the engine wakes itself; otherwise the caller sets the time. If the
 * configuration gives no depth, two steps of a rank are in flight, or one if the backend takes no more.
 */
public final class ThreadedEngine implements Engine
{
    /** Steps of a rank in flight if the configuration gives no depth and the backend takes as many. */
    static final int DEFAULT_DEPTH = 2;

    static final String SCHEDULER_THREAD = "signalbox-scheduler";

    private static final int CORES = Runtime.getRuntime().availableProcessors();

    private final EngineContext context;
    private final RingBuffer<TrackSlot> track;
    private final Ingress ingress;
    private final BatchEventProcessor<IngressSlot> schedulerProcessor;
    private final TrackHandlers handlers;
    private final Sequence decided;
    private final FinishedRows finishedRows;
    private final GroupJournal journal;
    private final EngineThreads threads = new EngineThreads();
    private final EngineFailure failure;
    private final RingBuffer<IngressSlot> ingressRing;
    private final ParkingWaitStrategy ingressWaits;
    private final Runnable halt = this::haltAll;
    private final EngineLife life = new EngineLife();
    private final RankResets resets;
    private final DeadlineWatch deadlines = new DeadlineWatch();
    private final Alarm alarm;
    private final ShellFigures shellFigures;

    public ThreadedEngine(final EngineConfig config)
    {
        context = config.conclude(DEFAULT_DEPTH);
        refuseTooManySpinners();
        refuseStepTimeoutWithoutTimer();
        failure = new EngineFailure(context.clientEnd() == null ? List.of() : List.of(context.clientEnd()),
            context.failureListener());
        finishedRows = context.finishedRows();
        alarm = new Alarm(context.clock(), context.clock().isSystem());
        resets = context.resets();
        boolean runs = false;
        try
        {
            context.openRun();
            journal = context.journal();
            final boolean isShared = TrackHandlers.isOne(context.handlerThreads());
            final ParkingWaitStrategy trackWaits = isShared ? ParkingWaitStrategy.silent() : new ParkingWaitStrategy();
            ingressWaits = trackWaits.ahead(() -> !isShared || !journal.neverWaits(), context.pollNanos());
            ingressRing = RingBuffer.createMultiProducer(
                IngressSlot::new, context.ingressSlots(), waitStrategy(ingressWaits));
            track = RingBuffer.createSingleProducer(TrackSlot::new, context.trackSlots(), waitStrategy(trackWaits));
            ingress = new Ingress(ingressRing, context.inputDoor(), this::checkRunning, this::checkMayWait);
            resets.stampBy(context.resetClock());
            final StepsInFlight steps = stepsInFlight();
            handlers = new TrackHandlers(this,
                isShared ? handler -> new SharedTrack(this, ingressRing, track, journal, handler, trackWaits) : null, track,
                new JournalHandler(this, journal, track),
                new DispatchHandler(this, context.start().dispatcher(), steps, alarm),
                new ListenerHandler(this, context.listener()));
            final SchedulerHandler scheduling =
                new SchedulerHandler(this, context, track, handlers, finishedRows, deadlines, alarm);
            decided = scheduling.decided();
            schedulerProcessor =
                new BatchEventProcessorBuilder().build(ingressRing, ingressRing.newBarrier(), scheduling);
            schedulerProcessor.setExceptionHandler(new HaltingExceptionHandler<>(this::fail));
            ingressRing.addGatingSequences(schedulerProcessor.getSequence());
            shellFigures = new ShellFigures(ingressRing, decided, track, handlers, finishedRows);
            startOrStop(steps);
            runs = true;
        }
        finally
        {
            if (!runs)
            {
                // Release the run after every throwable: a later engine can then open it.
                new ClosingSteps().run(context::abandonRun);
            }
        }
    }

    private void startOrStop(final StepsInFlight steps)
    {
        try
        {
            startAll(context.wakeSource() == EngineConfig.WakeSource.ENGINE ?
                new EngineTimer(this, deadlines, steps) : null);
            life.moveTo(EngineLife.Stage.RUNNING);
        }
        catch (final Throwable e)
        {
            new ClosingSteps().run(() -> fail(e)).run(context::closeBackend).run(this::stopThreads);
            throw e;
        }
    }

    private void startAll(final EngineTimer timer)
    {
        context.startBackend(new IngressSink(this, this::fail, context.start().launches(), context.reportCheck(),
            context.reportTimes()));
        // Before any thread runs, so that nothing precedes it.
        context.start().offerRestart(this, context.clock());
        start(SCHEDULER_THREAD, EngineThread.SCHEDULER, schedulerProcessor);
        handlers.start(this::start);
        if (resets.areAutomatic())
        {
            // A reset may wait for a device, so it has its own thread.
            threads.start("signalbox-resets", this::runResets);
        }
        if (timer != null)
        {
            threads.start("signalbox-timer", () -> runTimer(timer));
        }
    }

    private void start(final String name, final EngineThread role, final Runnable processor)
    {
        threads.start(name, () ->
        {
            failing(() -> context.threadStarted(role));
            processor.run();
        });
    }

    private void refuseTooManySpinners()
    {
        if (CORES < context.spinningThreads())
        {
            throw ConfigException.because(EngineConfig.WAITING.of(context.waiting()), " needs a core for each of the " +
                    "engine's " + context.spinningThreads() + " threads but there are " + CORES)
                .allowed(EngineConfig.Waiting.BLOCKING.name()).remedy("wait by blocking");
        }
    }

    private void refuseStepTimeoutWithoutTimer()
    {
        if (context.wakeSource() == EngineConfig.WakeSource.CALLER)
        {
            context.refuseStepTimeout();
        }
    }

    private WaitStrategy waitStrategy(final ParkingWaitStrategy blocking)
    {
        return switch (context.waiting())
        {
            case BLOCKING -> blocking;
            case YIELDING -> new YieldingWaitStrategy();
            case SPINNING -> new BusySpinWaitStrategy();
        };
    }

    private StepsInFlight stepsInFlight()
    {
        return context.stepTimeoutNanos() == 0 ? null :
            new StepsInFlight(
                context.config().ranks(), context.config().depth(), context.stepTimeoutNanos(), context.clock());
    }

    private void runTimer(final EngineTimer timer)
    {
        while (!isFailed() && !isClosing())
        {
            failing(() ->
            {
                timer.poll(context.clock().getAsLong());
                alarm.sleep(() -> isFailed() || isClosing() ? 0 : timer.nextNanos());
            });
        }
    }

    private void runResets()
    {
        while (!isFailed() && !isClosing())
        {
            failing(() ->
            {
                resets.awaitDue();
                resets.runDue(this);
            });
        }
    }

    /** Work of a thread that is no handler of a ring: what it throws stops the engine, unless it ends anyway. */
    private void failing(final Work work)
    {
        try
        {
            work.run();
        }
        catch (final Exception | Error e)
        {
            if (!isClosing())
            {
                fail(e);
            }
        }
    }

    /** Work that may throw anything. */
    @FunctionalInterface
    private interface Work
    {
        void run() throws Exception;
    }

    @Override
    public void resetRank(final int rank)
    {
        refuseOwnThread("resetRank");
        checkRunning();
        resets.reset(rank, this);
    }

    @Override
    public void offer(final DirectBuffer input, final int offset, final int length, final CaptureSlice rows)
    {
        ingress.offer(input, offset, length, rows);
    }

    /**
     * An input will come at once: the scheduler's thread wakes up while the calling one makes it. Without a second core it
     * would only be in the way.
     */
    void expectInput()
    {
        if (CORES > 1)
        {
            ingressWaits.wakeAll();
        }
    }

    @Override
    public long nextTickNanos()
    {
        return deadlines.nextNanos();
    }

    @Override
    public RequestRows rows(final long requestId)
    {
        return finishedRows.take(requestId);
    }

    @Override
    public void rowsNotTaken(final long requestId)
    {
        finishedRows.giveBack(requestId);
    }

    /** To be asked if there is a client. */
    EngineStats stats()
    {
        return context.figures().stats(shellFigures.stats(!isFailed() && !isClosing()));
    }

    SignalboxEngine.UntakenRowCount untakenRows()
    {
        return finishedRows.count();
    }

    @Override
    public boolean isOwnThread()
    {
        return threads.isCurrent();
    }

    @Override
    public String describeDiscards()
    {
        return finishedRows.describeDiscards();
    }

    @Override
    public void awaitProcessed()
    {
        refuseOwnThread("awaitProcessed");
        int round = 0;
        while (!isProcessed())
        {
            checkRunning();
            Pause.pause(round++);
        }
        checkRunning();
    }

    /** As {@link SignalboxEngine#awaitDelivered}. */
    boolean awaitDelivered(final long atMostNanos)
    {
        refuseOwnThread("awaitDelivered");
        final long startNanos = System.nanoTime();
        // The track is read after the scheduler has decided the inputs: all their outputs are on it by then.
        final boolean delivered = awaitSequence(decided::get, ingress.cursor(), startNanos, atMostNanos) &&
            awaitSequence(handlers::handled, track.getCursor(), startNanos, atMostNanos);
        checkRunning();
        return delivered;
    }

    /** Returns whether the sequence came so far within the time since the start. */
    private boolean awaitSequence(
        final LongSupplier current, final long wanted, final long startNanos, final long atMostNanos)
    {
        int round = 0;
        while (current.getAsLong() < wanted)
        {
            checkRunning();
            if (System.nanoTime() - startNanos >= atMostNanos)
            {
                return false;
            }
            Pause.pause(round++);
        }
        return true;
    }

    /** A thread of the engine would wait for itself. */
    void refuseOwnThread(final String method)
    {
        if (isOwnThread())
        {
            throw new IllegalStateException(method + " was called by the engine's own thread " +
                Thread.currentThread().getName() + ", which would wait for itself; call it from another thread");
        }
    }

    private boolean isProcessed()
    {
        if (!isDecided())
        {
            return false;
        }
        // Read after the scheduler has caught up: all its outputs are on the track by then.
        final long last = track.getCursor();
        return handlers.handled() >= last;
    }

    /** Whether the outputs of every input are on the track. */
    boolean isDecided()
    {
        return decided.get() >= ingress.cursor();
    }

    String backendName()
    {
        return context.backendName();
    }

    void checkRunning()
    {
        failure.check();
        if (life.isClosed())
        {
            throw new IllegalStateException("the engine is closed");
        }
    }

    /**
     * A thread of the engine must not wait for room in the ingress ring while the scheduler waits, in a full track, for that
     * thread: a backend that reports from within its methods, or a listener that offers, would stop the engine silently.
     */
    private void checkMayWait()
    {
        if (threads.isCurrent() && handlers.isHeldUpBy(Thread.currentThread()))
        {
            fail(new IllegalStateException("the ingress ring is full, and the thread " + Thread.currentThread().getName() +
                " that waits for room in it is the one that the scheduler waits for; report or offer from " +
                "another thread"));
            checkRunning();
        }
    }

    boolean isFailed()
    {
        return failure.cause() != null;
    }

    /** Whether the engine is closing: inputs in the rings still pass, but no step is launched. */
    boolean isClosing()
    {
        return ingress.isShut();
    }

    /** The cause for which the engine stopped, or null. */
    public Throwable failure()
    {
        return failure.cause();
    }

    void fail(final Throwable cause)
    {
        failure.fail(cause, halt);
    }

    private void haltAll()
    {
        schedulerProcessor.halt();
        handlers.halt();
        endWaits();
    }

    /** The threads that wait for a moment or a lost rank look whether the engine ends. */
    private void endWaits()
    {
        resets.endWaits();
        alarm.wake();
    }

    /** A second caller waits for the first, so that the journal is closed for both when they return. */
    @Override
    public void close()
    {
        refuseOwnThread("close");
        // Code that the close calls, such as a backend that owns the engine, cannot wait for it.
        if (!context.closing().isCurrent())
        {
            closeOnce();
        }
    }

    private synchronized void closeOnce()
    {
        if (!life.beginClosing())
        {
            return;
        }
        ingress.shut();
        endWaits();
        new ClosingSteps()
            .run(this::drain)
            .run(() -> resets.close(context.closeTimeoutNanos()))
            .run(context::closeBackend)
            .run(this::stopThreads)
            .run(this::endRequests)
            .run(this::closeJournal)
            .rethrow();
    }

    /** Executors of callbacks are foreign code. */
    private void endRequests()
    {
        context.closing().run("the executors of callbacks did not take the end of every request",
            context.closeTimeoutNanos(), () -> failure.end(new IllegalStateException("the engine is closed")));
    }

    private void closeJournal()
    {
        if (isFailed())
        {
            journal.cutShort();
        }
        journal.close();
    }

    private void drain()
    {
        final long start = System.nanoTime();
        int round = 0;
        while (!isFailed() && !(ingress.isQuiet() && isProcessed()))
        {
            if (System.nanoTime() - start > context.closeTimeoutNanos())
            {
                throw new IllegalStateException("the engine still had work after " +
                    Nanos.text(context.closeTimeoutNanos()));
            }
            Pause.pause(round++);
        }
    }

    private void stopThreads()
    {
        life.moveTo(EngineLife.Stage.CLOSED);
        haltAll();
        if (threads.awaitEnd(context.closeTimeoutNanos()) && ingress.isQuiet())
        {
            context.closing().run(
                "the capture slices of the backend were not released", context.closeTimeoutNanos(), this::releaseRows);
        }
    }

    /** Releases the slices of inputs that a failed engine did not reach; the rings have no other reader or writer now. */
    private void releaseRows()
    {
        final ClosingSteps releases = new ClosingSteps();
        for (int slot = 0; slot < ingressRing.getBufferSize(); slot++)
        {
            releases.run(ingressRing.get(slot)::releaseRows);
        }
        for (int slot = 0; slot < track.getBufferSize(); slot++)
        {
            releases.run(track.get(slot)::releaseRows);
        }
        releases.rethrow();
    }
}
