// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.ConfigException;
import io.signalbox.event.CommitView;
import io.signalbox.event.EventReader;
import io.signalbox.event.InputWriter;
import io.signalbox.event.codec.CancelDecoder;
import io.signalbox.event.codec.ControlDecoder;
import io.signalbox.event.codec.ControlEncoder;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.NewWeightsDecoder;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.event.codec.SubmitEncoder;
import io.signalbox.event.codec.WeightsWay;
import io.signalbox.experts.RequestRows;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.DirectBuffer;

import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Submits requests to an engine and follows them. Each client input needs a credit. The ingress ring has two slots more for
 * each step in flight than there are credits, so the backend's reports always find one. Without a free credit a call waits
 * up to its timeout, then fails; no input is lost or reordered.
 *
 * <p>Make the client from a complete {@link EngineContext}, open the engine on the same context, then {@link #connect}
 * the two. Thread-safe, also when called from the stages of a handle's future.
 */
public final class EngineClient
{
    /** A launch and an answer. */
    private static final int REPORTS_PER_STEP = 2;

    private final LongSupplier clock;
    private final boolean capture;
    private final ClientCredits credits;
    private final OpenHandles handles = new OpenHandles();
    private final AtomicLong nextRequestId = new AtomicLong(1);
    private final ThreadLocal<SubmitEncoding> encodings;
    private final ClientEvents events = new ClientEvents();
    private volatile Engine engine;
    private volatile int weightGeneration;
    private volatile List<CompletionHandle> resumed = List.of();

    /** @param context gives the client its configuration, ring and clock; the client follows the context's engine. */
    public EngineClient(final EngineContext context)
    {
        final SchedulerConfig config = context.config();
        final int ranks = config.ranks();
        final int depth = config.isDepthGiven() ? config.depth() : ThreadedEngine.DEFAULT_DEPTH;
        final int reserved = REPORTS_PER_STEP * depth * ranks;
        final int creditCount = context.ingressSlots() - reserved;
        if (creditCount < 1)
        {
            throw ConfigException.because(EngineContext.INGRESS_SLOTS.of(context.ingressSlots()),
                    " leaves no slot for clients beside " + REPORTS_PER_STEP + " for each of " + depth +
                        " steps in flight of ", SchedulerConfig.RANKS.of(ranks))
                .allowed("at least " + (reserved + 1)).remedy("give at least " + (reserved + 1));
        }
        clock = context.clock();
        capture = config.capture() != null;
        credits = new ClientCredits(creditCount);
        encodings = ThreadLocal.withInitial(() -> new SubmitEncoding(config));
        context.attach(this);
    }

    /**
     * Connects the client to its engine.
     *
     * @param target opened on the context that the client was made from.
     * @throws IllegalArgumentException if it was opened on another one: the client would receive none of its groups.
     */
    public void connect(final Engine target)
    {
        if (target == null || !target.serves(this))
        {
            throw new IllegalArgumentException(target == null ?
                "the engine is null; connect the client to the engine that was opened on its context" :
                "the engine was opened on another EngineContext than the client was made from, so the client would see " +
                "none of its groups; connect the client to the engine that was opened on the same context");
        }
        engine = target;
    }

    /** The engine continues a run: the client follows the requests that it left. */
    void resume(final ResumedRequests requests)
    {
        resumed = requests.handles();
        resumed.stream().filter(requests::isLive).forEach(handles::add);
        nextRequestId.set(requests.nextRequestId());
        weightGeneration = requests.weightGeneration();
    }

    /**
     * Requests that earlier engines of the run left, in the order of their ids: those that have not ended, those whose rows
     * nobody took, and those whose end no client may have seen. Each handle has the tokens that were visible, and gets
     * those that follow. Empty for a new run.
     */
    public List<CompletionHandle> resumed()
    {
        return resumed;
    }

    /** Inputs that clients may have in the ingress ring at a time. */
    public int creditCount()
    {
        return credits.count();
    }

    /**
     * Submits a request, waiting for a credit up to the timeout.
     *
     * @return the handle, or null when the engine had no credit in time: nothing was submitted.
     * @throws IllegalArgumentException when the request is larger than {@link Engine#MAX_INPUT_BYTES}, or wants what the
     *                                  backend does not report.
     * @throws IllegalStateException    when the engine has failed or is closed.
     */
    public CompletionHandle submit(final CompletionRequest request, final long timeoutNanos) throws InterruptedException
    {
        // Encode before taking a credit: a request that cannot be encoded costs none.
        final CompletionHandle handle = new CompletionHandle(this, nextRequestId.getAndIncrement(), request.rowsFrom(),
            request.sampling().logprobs());
        final SubmitEncoding encoding = encodings.get();
        final SubmitEncoder message = encoding.encode(request, handle.requestId());
        if (!takeCredit(timeoutNanos))
        {
            return null;
        }
        message.timeNanos(clock.getAsLong());
        credits.sent(handle.requestId());
        try
        {
            handles.add(handle);
            engine.offer(encoding.writer.buffer(), 0, encoding.writer.length(), null);
        }
        catch (final RuntimeException | Error e)
        {
            handles.remove(handle.requestId());
            credits.passed(handle.requestId());
            throw e;
        }
        return handle;
    }

    /**
     * Cancels a request; its handle completes as cancelled unless it ended before.
     *
     * @return false when the engine had no credit in time: nothing was asked.
     */
    public boolean cancel(final CompletionHandle handle, final long timeoutNanos) throws InterruptedException
    {
        handle.checkClient(this);
        // Encode before taking a credit: a failure here costs none.
        final InputWriter writer = encodings.get().writer;
        if (!takeCredit(timeoutNanos))
        {
            return false;
        }
        writer.cancel().timeNanos(clock.getAsLong()).requestId(handle.requestId());
        offer(writer, handle.requestId());
        return true;
    }

    /**
     * Replaces the weights of the model: every step that is planned later computes with those that the backend then has.
     * Requests that have not begun wait for them; nothing that former weights computed is shared with later requests.
     *
     * @param way     FINISH: running requests continue with the new weights, on KV blocks of the former ones. ABORT:
     *                requests that have begun end with the reason NEW_WEIGHTS. REQUEUE: they compute their prompt and the
     *                tokens that their clients have seen again, then continue; rows that belong to such tokens stay.
     * @param version name of the weights for the journal; may be empty.
     * @return false when the engine had no credit in time: nothing was asked.
     * @throws IllegalArgumentException when the backend cannot replace its weights while it runs; it is named.
     */
    public boolean newWeights(final WeightsWay way, final String version, final long timeoutNanos)
        throws InterruptedException
    {
        if (way != WeightsWay.FINISH && way != WeightsWay.ABORT && way != WeightsWay.REQUEUE)
        {
            throw new IllegalArgumentException("new weights need a way for requests that have begun, not " + way +
                "; give FINISH, ABORT or REQUEUE");
        }
        final InputWriter writer = encodings.get().writer;
        final ControlEncoder control =
            writer.control().requestId(-1).kind(ControlKind.NEW_WEIGHTS).way(way).note(version);
        if (!takeCredit(timeoutNanos))
        {
            return false;
        }
        control.timeNanos(clock.getAsLong());
        offer(writer, -1);
        return true;
    }

    /** Generation of the weights that the last visible step plans compute with; 0: those with which the run began. */
    public int weightGeneration()
    {
        return weightGeneration;
    }

    /**
     * Waits for the end of a request and takes its routed experts, once: a copy from the wanted position on. The scheduler
     * then releases its rows.
     *
     * @return null when the request asked for none or was refused, capture is off, or they were taken before.
     * @throws RowsDiscardedException when ended requests held too many rows that nobody took, and these were among the
     *                                oldest: {@link EngineContext#maxUntakenRowsBytes}.
     * @throws TimeoutException when the request had not ended, or the engine had no credit, in time: nothing was taken.
     */
    public RoutedExperts takeRows(final CompletionHandle handle, final long timeoutNanos)
        throws InterruptedException, TimeoutException
    {
        handle.checkClient(this);
        final long start = System.nanoTime();
        final CompletionHandle.Ended ended = awaitEnd(handle, timeoutNanos);
        final InputWriter writer = encodings.get().writer;
        if (!takeCredit(timeoutNanos - (System.nanoTime() - start)))
        {
            throw new TimeoutException("the engine had no credit in time to release the rows");
        }
        final RoutedExperts copy = copyRows(handle, ended);
        if (copy == null)
        {
            return null;
        }
        writer.control().timeNanos(clock.getAsLong()).requestId(handle.requestId()).kind(ControlKind.RELEASE_ROWS).note("");
        try
        {
            offer(writer, handle.requestId());
        }
        catch (final RuntimeException | Error e)
        {
            rowsNotTaken(handle);
            throw e;
        }
        return copy;
    }

    /** Returns the rows: a later call may take them, and until then they may be discarded. */
    private void rowsNotTaken(final CompletionHandle handle)
    {
        engine.rowsNotTaken(handle.requestId());
        handle.rowsNotTaken();
    }

    /** Returns the credit unless there are rows to release. */
    private RoutedExperts copyRows(final CompletionHandle handle, final CompletionHandle.Ended ended)
    {
        RoutedExperts copy = null;
        boolean first = false;
        try
        {
            first = capture && ended.refusal() == null && handle.rowsFrom() >= 0 && handle.takeRows();
            if (first)
            {
                final RequestRows rows = engine.rows(handle.requestId());
                if (rows == null)
                {
                    throw new RowsDiscardedException("the rows of request " + handle.requestId() + " are gone: " +
                        engine.describeDiscards() + "; take rows sooner, or raise the bound.");
                }
                copy = rows.copy(Math.min(handle.rowsFrom(), ended.rows()), ended.rows()).withWeights(ended.weights());
            }
            return copy;
        }
        finally
        {
            if (copy == null)
            {
                credits.giveBack();
                if (first)
                {
                    rowsNotTaken(handle);
                }
            }
        }
    }

    private static CompletionHandle.Ended awaitEnd(final CompletionHandle handle, final long timeoutNanos)
        throws InterruptedException, TimeoutException
    {
        try
        {
            return handle.ended().get(timeoutNanos, TimeUnit.NANOSECONDS);
        }
        catch (final ExecutionException e)
        {
            throw new IllegalStateException(
                "the request has no rows because the engine stopped: " + e.getCause().getMessage(), e.getCause());
        }
    }

    /** Once the engine accepts no further input, each waiting caller is refused and passes its credit to the next. */
    private boolean takeCredit(final long timeoutNanos) throws InterruptedException
    {
        if (engine == null)
        {
            throw new IllegalStateException("the client has no engine; connect it first");
        }
        if (!credits.take(timeoutNanos))
        {
            handles.checkRunning();
            return false;
        }
        try
        {
            handles.checkRunning();
        }
        catch (final IllegalStateException e)
        {
            credits.giveBack();
            throw e;
        }
        return true;
    }

    private void offer(final InputWriter writer, final long requestId)
    {
        credits.sent(requestId);
        try
        {
            engine.offer(writer.buffer(), 0, writer.length(), null);
        }
        catch (final RuntimeException | Error e)
        {
            credits.passed(requestId);
            throw e;
        }
    }

    /** Reads the groups of the engine: returns credits, makes tokens visible, completes handles. */
    void onGroup(final DirectBuffer group, final int offset, final int length)
    {
        events.readGroup(group, offset, length);
    }

    /** The events that concern a client's inputs and requests. */
    private final class ClientEvents extends EventReader
    {
        @Override
        protected void onSubmit(final SubmitDecoder message)
        {
            credits.passed(message.requestId());
        }

        @Override
        protected void onCancel(final CancelDecoder message)
        {
            credits.passed(message.requestId());
        }

        @Override
        protected void onControl(final ControlDecoder message)
        {
            credits.passed(message.requestId());
        }

        @Override
        protected void onNewWeights(final NewWeightsDecoder message)
        {
            weightGeneration = message.weightGeneration();
        }

        @Override
        protected void onCommit(final CommitView commit)
        {
            int token = 0;
            for (int entry = 0; entry < commit.entryCount(); entry++)
            {
                final int emitted = commit.emitted(entry);
                final CompletionHandle handle = emitted == 0 ? null : handles.find(commit.requestId(entry));
                for (int i = 0; i < emitted && handle != null; i++)
                {
                    handle.emitted(commit.token(token + i), commit.logprob(token + i));
                }
                token += emitted;
            }
        }

        @Override
        protected void onFree(final FreeDecoder message)
        {
            final CompletionHandle handle = handles.find(message.requestId());
            if (handle != null)
            {
                handle.freed(message.reason(), message.capturedRows(), message.inheritedRows(), message.missingRows(),
                    FreeSpans.of(message));
                // Not before: a handle that could not be completed must fail with the engine.
                handles.remove(message.requestId());
            }
        }

        @Override
        protected void onRefused(final RefusedDecoder message)
        {
            final CompletionHandle handle = handles.find(message.requestId());
            if (handle != null)
            {
                handle.refused(message.reason());
                handles.remove(message.requestId());
            }
        }
    }

    /** The engine accepts no further input: completes every open handle exceptionally and releases every waiting caller. */
    void failAll(final Throwable cause)
    {
        handles.failAll(cause);
        credits.giveBack();
    }
}
