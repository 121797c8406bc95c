// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.InputWriter;
import io.signalbox.experts.RequestRows;
import io.signalbox.scheduler.Scheduler;
import org.agrona.DirectBuffer;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The engine without threads: {@link #offer} returns when the input has passed the scheduler, the journal, the backend
 * and the listener. What most tests and the simulator run on. Inputs come from one thread at a time; there is no timer.
 */
public final class SteppedEngine implements Engine
{
    private final EngineContext context;
    private final Scheduler scheduler;
    private final GroupJournal journal;
    private final GroupListener listener;
    private final Dispatcher dispatcher;
    private final GroupWriter group = new GroupWriter(64 * 1024);
    private final InputWriter wakeWriter = new InputWriter();
    private final AtomicBoolean closing = new AtomicBoolean();
    private Throwable failure;
    private boolean busy;

    public SteppedEngine(final EngineContext context)
    {
        this.context = context.conclude();
        context.refuseStepTimeout();
        scheduler = context.scheduler();
        journal = context.journal();
        listener = context.listener();
        final LaunchedSteps launches = new LaunchedSteps(context.config().ranks());
        dispatcher = new Dispatcher(context.backend(), launches);
        context.backend().start(
            context.config().ranks(), context.config().capture(), new IngressSink(this, launches, context.reportCheck()));
    }

    @Override
    public void offer(final DirectBuffer input, final int offset, final int length, final CaptureSlice rows)
    {
        try
        {
            checkOpen();
            InputBounds.check(length);
            input.boundsCheck(offset, length);
        }
        catch (final RuntimeException e)
        {
            release(rows);
            throw e;
        }
        busy = true;
        try
        {
            process(input, offset, length, rows);
            if (context.wakeSource() == EngineContext.WakeSource.ENGINE && scheduler.wantsWake())
            {
                wakeWriter.wake().timeNanos(scheduler.timeNanos());
                process(wakeWriter.buffer(), 0, wakeWriter.length(), null);
            }
        }
        catch (final RuntimeException | Error e)
        {
            failure = e;
            context.failureListener().accept(e);
            throw e;
        }
        finally
        {
            busy = false;
        }
    }

    private void checkOpen()
    {
        if (failure != null || closing.get() || busy)
        {
            throw new IllegalStateException(busy ? "a backend must not report from within submit" :
                closing.get() ? "the engine is closed" : "the engine has failed: " + failure.getMessage(), failure);
        }
    }

    private void process(final DirectBuffer input, final int offset, final int length, final CaptureSlice rows)
    {
        try
        {
            group.reset();
            scheduler.apply(
                input, offset, length, rows == null ? null : rows.buffer(), rows == null ? 0 : rows.offset(), group);
            journal.append(scheduler.timeNanos(), group.buffer(), 0, group.length(), rows);
        }
        finally
        {
            release(rows);
        }
        journal.endOfBatch();
        dispatcher.dispatch(group.buffer(), 0, group.length());
        listener.onGroup(group.buffer(), 0, group.length());
    }

    private static void release(final CaptureSlice rows)
    {
        if (rows != null)
        {
            rows.release();
        }
    }

    @Override
    public void awaitProcessed()
    {
        if (failure != null)
        {
            throw new IllegalStateException("the engine has failed: " + failure.getMessage(), failure);
        }
    }

    @Override
    public RequestRows rows(final long requestId)
    {
        return scheduler.rows(requestId);
    }

    @Override
    public void close()
    {
        if (closing.compareAndSet(false, true))
        {
            new ClosingSteps()
                .run(context.backend()::close)
                .run(this::tellFailureListener)
                .run(journal::close)
                .rethrow();
        }
    }

    private void tellFailureListener()
    {
        if (failure == null)
        {
            context.failureListener().accept(new IllegalStateException("the engine is closed"));
        }
    }
}
