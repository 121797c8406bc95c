// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.engine.request.ShellInputs;
import io.signalbox.engine.ring.EngineFailure;
import io.signalbox.engine.ring.EngineLife;
import io.signalbox.engine.ring.InputBounds;
import io.signalbox.engine.ring.InputDoor;
import io.signalbox.engine.ring.Nanos;
import io.signalbox.engine.ring.Pause;
import io.signalbox.engine.ring.SliceRelease;
import io.signalbox.engine.step.ClosingSteps;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.InputWriter;
import io.signalbox.experts.RequestRows;
import io.signalbox.scheduler.Scheduler;
import org.agrona.DirectBuffer;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * The engine without threads: {@link #offer} returns when the input has passed the scheduler, the journal, the backend
 * and the listener. Most tests and the simulator use it. Inputs come from one thread at a time; there is no timer. If the
 * configuration gives no depth, one step of a rank is in flight.
 */
public final class SteppedEngine implements Engine
{
    /** A second step costs time to first token, and without threads nothing runs beside the planning. */
    private static final int DEFAULT_DEPTH = 1;

    private final EngineContext context;
    private final Scheduler scheduler;
    private final GroupJournal journal;
    private final EngineConfig config;
    /** Changes once, when the first request is submitted here. */
    private GroupListener listener;
    /** The client of {@link #submit}; {@code null} before the first call, unless the engine may continue a run. */
    private EngineClient client;
    private final Dispatcher dispatcher;
    private final InputDoor door;
    private final RankResets resets;
    private final InputWriter resetInputs = new InputWriter();
    private final GroupWriter group = new GroupWriter(64 * 1024);
    private final ShellInputs shellInputs = new ShellInputs();
    private final FinishedRows finishedRows;
    private final boolean wakesItself;
    private final EngineFailure failure;
    private final EngineLife life = new EngineLife();
    /** The thread that is within {@link #offer}, or null. */
    private final AtomicReference<Thread> user = new AtomicReference<>();

    public SteppedEngine(final EngineConfig config)
    {
        this.config = config;
        client = config.runJournal() == null ? null : new EngineClient(config);
        context = config.conclude(DEFAULT_DEPTH);
        context.refuseStepTimeout();
        boolean runs = false;
        try
        {
            context.openRun();
            wakesItself = context.wakeSource() == EngineConfig.WakeSource.ENGINE;
            scheduler = context.scheduler();
            journal = context.journal();
            listener = context.listener();
            finishedRows = context.finishedRows();
            final List<Consumer<Throwable>> toTell = new ArrayList<>(List.of(this::failClient));
            if (context.clientEnd() != null)
            {
                toTell.add(context.clientEnd());
            }
            failure = new EngineFailure(toTell, context.failureListener());
            resets = context.resets();
            resets.stampBy(scheduler::timeNanos);
            dispatcher = context.start().dispatcher();
            door = context.inputDoor();
            startOrStop();
            runs = true;
        }
        finally
        {
            if (!runs)
            {
                new ClosingSteps().run(context::abandonRun);
            }
        }
    }

    private void startOrStop()
    {
        try
        {
            start();
        }
        catch (final Throwable e)
        {
            new ClosingSteps().run(context::closeBackend);
            throw e;
        }
    }

    private void start()
    {
        context.startBackend(new IngressSink(
            this, this::fail, context.start().launches(), context.reportCheck(), context.reportTimes()));
        life.moveTo(EngineLife.Stage.RUNNING);
        if (client != null)
        {
            client.connect(this);
        }
        context.start().offerRestart(this, context.clock());
    }

    @Override
    public void offer(final DirectBuffer input, final int offset, final int length, final CaptureSlice rows)
    {
        boolean entered = false;
        try
        {
            enter();
            entered = true;
            checkOpen();
            door.check(InputBounds.check(input, offset, length, rows), input, offset, length);
        }
        catch (final RuntimeException e)
        {
            leave(entered);
            SliceRelease.after(e, rows);
            throw e;
        }
        try
        {
            process(input, offset, length, rows);
            addInputs();
        }
        catch (final RuntimeException | Error e)
        {
            fail(e);
            throw e;
        }
        finally
        {
            leave(true);
        }
    }

    private void enter()
    {
        final Thread current = Thread.currentThread();
        final Thread inside = user.compareAndExchange(null, current);
        if (inside != null)
        {
            throw new IllegalStateException(inside == current ?
                "a backend must not report from within submit, nor a listener offer from within onGroup" :
                "the thread " + inside.getName() + " is within the engine; a stepped engine takes inputs from one thread " +
                "at a time");
        }
    }

    private void leave(final boolean entered)
    {
        if (entered)
        {
            user.setRelease(null);
        }
    }

    private void addInputs()
    {
        for (int rank = resets.firstDue(); rank != RankResets.NO_RANK; rank = resets.firstDue())
        {
            resets.encodeDue(rank, resetInputs);
            process(resetInputs.buffer(), 0, resetInputs.length(), null);
        }
        for (long id = nextToDiscard(); id != FinishedRows.NO_REQUEST; id = nextToDiscard())
        {
            shellInputs.discardRows(id, scheduler.timeNanos());
            process(shellInputs.buffer(), 0, shellInputs.length(), null);
        }
        if (wakesItself && scheduler.wantsWake())
        {
            shellInputs.wake(scheduler.timeNanos());
            process(shellInputs.buffer(), 0, shellInputs.length(), null);
        }
    }

    private long nextToDiscard()
    {
        return finishedRows.nextToDiscard(scheduler.timeNanos());
    }

    private void checkOpen()
    {
        failure.check();
        if (life.isEnding())
        {
            throw new IllegalStateException("the engine is closed");
        }
    }

    private void fail(final Throwable cause)
    {
        failure.fail(cause, () -> { });
    }

    private void process(final DirectBuffer input, final int offset, final int length, final CaptureSlice rows)
    {
        try
        {
            group.reset();
            scheduler.apply(
                input, offset, length, rows == null ? null : rows.buffer(), rows == null ? 0 : rows.offset(), group);
            finishedRows.update(scheduler);
            journal.append(scheduler.timeNanos(), group.buffer(), 0, group.length(), rows);
        }
        catch (final RuntimeException | Error e)
        {
            SliceRelease.after(e, rows);
            throw e;
        }
        if (rows != null)
        {
            rows.release();
        }
        journal.endOfBatch();
        dispatcher.dispatch(group.buffer(), 0, group.length());
        listener.onGroup(group.buffer(), 0, group.length());
    }

    /** The requests that earlier engines of the run left, as {@link SignalboxEngine#resumed()} has them. */
    public List<CompletionHandle> resumed()
    {
        return client == null ? List.of() : client.resumed();
    }

    /**
     * Submits a request: it has passed scheduler, journal, backend and listener when the call returns. Its handle is done
     * once the inputs are offered that end it, so no thread should wait for it that offers them.
     *
     * @throws IllegalStateException when the engine has failed or is closed.
     */
    public CompletionHandle submit(final CompletionRequest request)
    {
        return client().submit(request);
    }

    /** Submits several samples of one prompt, as {@link SignalboxEngine#submit(CompletionRequest, int)} does. */
    public List<CompletionHandle> submit(final CompletionRequest request, final int samples)
    {
        return client().submitSamples(request, samples);
    }

    private EngineClient client()
    {
        checkOpen();
        if (client == null)
        {
            final EngineClient first = new EngineClient(config);
            final GroupListener following = listener;
            first.connect(this);
            client = first;
            listener = (group, offset, length) ->
            {
                first.onGroup(group, offset, length);
                following.onGroup(group, offset, length);
            };
        }
        return client;
    }

    private void failClient(final Throwable cause)
    {
        if (client != null)
        {
            client.failAll(cause);
        }
    }

    @Override
    public void awaitProcessed()
    {
        if (user.get() == Thread.currentThread())
        {
            throw new IllegalStateException("awaitProcessed was called from within the backend, the journal or the " +
                "listener, while an input is being processed; call it after offer has returned");
        }
        failure.check();
    }

    @Override
    public long nextTickNanos()
    {
        return Math.min(scheduler.nextDeadlineNanos(), finishedRows.nextTooOldNanos());
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

    @Override
    public void resetRank(final int rank)
    {
        checkOpen();
        resets.reset(rank, this);
    }

    @Override
    public String describeDiscards()
    {
        return finishedRows.describeDiscards();
    }

    @Override
    public void close()
    {
        if (user.get() == Thread.currentThread())
        {
            throw new IllegalStateException(
                "the engine is asked to close from within the backend, the journal or the listener; close it from outside");
        }
        if (life.beginClosing())
        {
            new ClosingSteps()
                .run(this::awaitOffer)
                .run(context::closeBackend)
                .run(this::endRequests)
                .run(this::cutJournalShort)
                .run(journal::close)
                .run(() -> life.moveTo(EngineLife.Stage.CLOSED))
                .rethrow();
        }
    }

    private void cutJournalShort()
    {
        if (failure.cause() != null)
        {
            journal.cutShort();
        }
    }

    /** An input of another thread may be under way; later ones are refused. */
    private void awaitOffer()
    {
        final long start = System.nanoTime();
        for (int round = 0; !user.compareAndSet(null, Thread.currentThread()); round++)
        {
            if (System.nanoTime() - start > context.closeTimeoutNanos())
            {
                throw new IllegalStateException("the engine still had work after " +
                    Nanos.text(context.closeTimeoutNanos()));
            }
            Pause.pause(round);
        }
        user.set(null);
    }

    /** Executors of callbacks are foreign code. */
    private void endRequests()
    {
        context.closing().run("the executors of callbacks did not take the end of every request",
            context.closeTimeoutNanos(), () -> failure.end(new IllegalStateException("the engine is closed")));
    }
}
