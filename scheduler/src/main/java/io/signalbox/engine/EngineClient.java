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
import io.signalbox.experts.RoutedExperts;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.DirectBuffer;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Submits requests to an engine and follows them. Each client input needs a credit. The ingress ring has two slots more for
 * each step in flight than there are credits, so the backend's reports always find one. Without a free credit a call waits
 * up to its timeout, then fails; no input is lost or reordered. Thread-safe.
 */
final class EngineClient
{
    /** A launch and an answer. */
    private static final int REPORTS_PER_STEP = 2;
    /** A thread that is refused comes again when this part of the credits has come back. */
    private static final int CREDITS_SHARE = 4;
    private static final long NO_REQUEST = -1;

    private final LongSupplier clock;
    private final Executor callbacks;
    private final long waitNanos;
    private final ClientCredits credits;
    private final CompletableFuture<Void> drained = new CompletableFuture<>();
    private final OpenHandles handles = new OpenHandles(this::drained);
    private final AtomicLong nextRequestId = new AtomicLong(1);
    private final ThreadLocal<SubmitEncoding> encodings;
    private final ClientEvents events = new ClientEvents();
    private final RowTaking rows;
    private final Pace inputs = new Pace();
    private final Pace ends = new Pace();
    private volatile Engine engine;
    private volatile int weightGeneration;
    private volatile List<CompletionHandle> resumed = List.of();

    /** @param given gives the client its configuration, ring and clock; the client follows its engine. */
    EngineClient(final EngineConfig given)
    {
        final SchedulerConfig config = given.schedulerConfig();
        final int ranks = config.ranks();
        final int depth = config.isDepthGiven() ? config.depth() : ThreadedEngine.DEFAULT_DEPTH;
        final int reserved = REPORTS_PER_STEP * depth * ranks;
        final int creditCount = given.value(EngineConfig.INGRESS_SLOTS) - reserved;
        if (creditCount < 1)
        {
            throw ConfigException.because(EngineConfig.INGRESS_SLOTS.of(given.value(EngineConfig.INGRESS_SLOTS)),
                    " leaves no slot for clients beside " + REPORTS_PER_STEP + " for each of " + depth +
                        " steps in flight of ", SchedulerConfig.RANKS.of(ranks))
                .allowed("at least " + (reserved + 1)).remedy("give at least " + (reserved + 1));
        }
        clock = given.clock();
        callbacks = given.callbacks();
        waitNanos = given.value(EngineConfig.SUBMIT_WAIT_NANOS);
        credits = new ClientCredits(creditCount);
        rows = new RowTaking(this, config.capture() != null);
        encodings = ThreadLocal.withInitial(() -> new SubmitEncoding(config));
        given.attach(this);
    }

    /** @param target opened on the configuration that the client was made from. */
    void connect(final Engine target)
    {
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

    /** Requests that earlier engines of the run left. */
    List<CompletionHandle> resumed()
    {
        return resumed;
    }

    /** Inputs that clients may have in the ingress ring at a time. */
    int creditCount()
    {
        return credits.count();
    }

    Executor callbacks()
    {
        return callbacks;
    }

    /**
     * Submits a request, and waits for room as the back-pressure of the engine says. A request that is not accepted has a
     * handle that is done, with the reason.
     *
     * @throws IllegalArgumentException when the request is larger than {@link Engine#MAX_INPUT_BYTES}, or wants what the
     *                                  backend does not report.
     * @throws IllegalStateException    when the engine has failed or is closed.
     */
    CompletionHandle submit(final CompletionRequest request)
    {
        final long requestId = nextRequestId.getAndIncrement();
        Refusal refusal;
        try
        {
            final CompletionHandle handle = submit(request, requestId, patience());
            if (handle != null)
            {
                return handle;
            }
            refusal = handles.isDraining() ? draining() : Refusal.after(Refusal.Reason.ENGINE_FULL,
                inputs.nanosUntil(Math.max(1, credits.count() / CREDITS_SHARE)), "all " + credits.count() +
                    " slots of the ring of inputs are taken; submit the request again later, let the engine wait, or give " +
                    "more ingressSlots");
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
            refusal = Refusal.until(Refusal.Reason.INTERRUPTED,
                "the thread " + Thread.currentThread().getName() + " was interrupted while it waited for room");
        }
        return new CompletionHandle(this, requestId, refusal);
    }

    private static Refusal draining()
    {
        return Refusal.until(Refusal.Reason.DRAINING,
            "the engine drains: it finishes what it has, and accepts nothing else; launch another engine");
    }

    /** The time that a call may wait for room: none in a thread of the engine, which makes the room. */
    private long patience()
    {
        return engine != null && engine.isOwnThread() ? 0 : waitNanos;
    }

    /**
     * Submits a request, waiting for a credit up to the timeout.
     *
     * @return the handle, or null when the engine had no credit in time or drains: nothing was submitted.
     */
    CompletionHandle submit(final CompletionRequest request, final long timeoutNanos) throws InterruptedException
    {
        return submit(request, nextRequestId.getAndIncrement(), timeoutNanos);
    }

    private CompletionHandle submit(final CompletionRequest request, final long requestId, final long timeoutNanos)
        throws InterruptedException
    {
        // Encode before taking a credit: a request that cannot be encoded costs none.
        final CompletionHandle handle =
            new CompletionHandle(this, requestId, request.rowsFrom(), request.sampling().logprobs());
        final SubmitEncoding encoding = encodings.get();
        final SubmitEncoder message = encoding.encode(request, requestId);
        if (!takeCredit(timeoutNanos))
        {
            return null;
        }
        final long now = clock.getAsLong();
        message.timeNanos(now).deadlineNanos(request.deadlineAt(now));
        credits.sent(requestId);
        boolean sent = false;
        try
        {
            sent = handles.add(handle);
            if (sent)
            {
                engine.offer(encoding.writer.buffer(), 0, encoding.writer.length(), null);
            }
        }
        catch (final RuntimeException | Error e)
        {
            sent = false;
            handles.remove(requestId);
            throw e;
        }
        finally
        {
            if (!sent)
            {
                credits.passed(requestId);
            }
        }
        return sent ? handle : null;
    }

    /** Cancels a request; false if the engine had no room for that. */
    boolean cancel(final CompletionHandle handle)
    {
        return handle.isDone() || patiently(nanos -> cancel(handle, nanos));
    }

    boolean newWeights(final WeightsWay way, final String version)
    {
        return patiently(nanos -> newWeights(way, version, nanos));
    }

    boolean resetCache()
    {
        return patiently(this::resetCache);
    }

    /** Makes a call that waits for room as the back-pressure of the engine says. An interrupt ends the wait. */
    private boolean patiently(final PatientCall call)
    {
        try
        {
            return call.within(patience());
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** A call that may wait; false if it found no room. */
    @FunctionalInterface
    private interface PatientCall
    {
        boolean within(long timeoutNanos) throws InterruptedException;
    }

    /**
     * Cancels a request; its handle completes as cancelled unless it ended before.
     *
     * @return false when the engine had no credit in time: nothing was asked.
     */
    boolean cancel(final CompletionHandle handle, final long timeoutNanos) throws InterruptedException
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

    /** Replaces the weights of the model: {@link SignalboxEngine#newWeights}. Waits for a credit up to the timeout. */
    boolean newWeights(final WeightsWay way, final String version, final long timeoutNanos) throws InterruptedException
    {
        if (way != WeightsWay.FINISH && way != WeightsWay.ABORT && way != WeightsWay.REQUEUE)
        {
            throw new IllegalArgumentException("new weights need a way for requests that have begun, not " + way +
                "; give FINISH, ABORT or REQUEUE");
        }
        final InputWriter writer = encodings.get().writer;
        return control(writer, writer.control().requestId(NO_REQUEST).kind(ControlKind.NEW_WEIGHTS).way(way).note(version),
            NO_REQUEST, timeoutNanos);
    }

    private boolean resetCache(final long timeoutNanos) throws InterruptedException
    {
        final InputWriter writer = encodings.get().writer;
        return control(writer, writer.control().requestId(NO_REQUEST).kind(ControlKind.CACHE_RESET).note(""), NO_REQUEST,
            timeoutNanos);
    }

    /** Refuses every later request, here and in the scheduler. Returns a future that completes when all have ended. */
    CompletableFuture<Void> drain()
    {
        handles.drain();
        patiently(nanos ->
        {
            final InputWriter writer = encodings.get().writer;
            return control(
                writer, writer.control().requestId(NO_REQUEST).kind(ControlKind.DRAIN).note(""), NO_REQUEST, nanos);
        });
        return drained;
    }

    private void drained()
    {
        new Handover(callbacks, () -> drained.complete(null)).handOver();
    }

    /** Releases the rows of a request that has ended. The caller has a credit. */
    void releaseRows(final CompletionHandle handle)
    {
        final InputWriter writer = encodings.get().writer;
        writer.control().timeNanos(clock.getAsLong()).requestId(handle.requestId()).kind(ControlKind.RELEASE_ROWS).note("");
        offer(writer, handle.requestId());
    }

    private boolean control(
        final InputWriter writer, final ControlEncoder control, final long requestId, final long timeoutNanos)
        throws InterruptedException
    {
        if (!takeCredit(timeoutNanos))
        {
            return false;
        }
        control.timeNanos(clock.getAsLong());
        offer(writer, requestId);
        return true;
    }

    /** Generation of the weights that the last visible step plans compute with; 0: those with which the run began. */
    int weightGeneration()
    {
        return weightGeneration;
    }

    /** Waits for the end of a request and takes its routed experts: {@link CompletionHandle#takeRows(Duration)}. */
    RoutedExperts takeRows(final CompletionHandle handle, final long timeoutNanos)
        throws InterruptedException, TimeoutException
    {
        handle.checkClient(this);
        return rows.take(handle, timeoutNanos);
    }

    /** Waits for the end of a request and releases its routed experts. */
    void discardRows(final CompletionHandle handle, final long timeoutNanos) throws InterruptedException, TimeoutException
    {
        handle.checkClient(this);
        rows.discard(handle, timeoutNanos);
    }

    Engine engine()
    {
        return engine;
    }

    OpenHandles handles()
    {
        return handles;
    }

    /** @throws IllegalStateException in a thread of the engine, which would wait for itself. */
    void refuseOwnThread(final String method)
    {
        if (engine != null && engine.isOwnThread())
        {
            throw new IllegalStateException(method + " was called by the engine's own thread " +
                Thread.currentThread().getName() + ", which would wait for itself; call it from another thread");
        }
    }

    /** Once the engine accepts no further input, each waiting caller is refused and passes its credit to the next. */
    boolean takeCredit(final long timeoutNanos) throws InterruptedException
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

    /** Returns a credit that was not used. */
    void giveCreditBack()
    {
        credits.giveBack();
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
            inputs.event(message.timeNanos());
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
                if (handle != null)
                {
                    handle.visible();
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
                ends.event(clock.getAsLong());
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
                handle.refused(Refusal.of(message.reason(), ends.nanosUntil(1)));
                handles.remove(message.requestId());
            }
        }
    }

    /** The engine accepts no further input: completes every open handle exceptionally and releases every waiting caller. */
    void failAll(final Throwable cause)
    {
        handles.failAll(cause);
        credits.giveBack();
        if (handles.isDraining())
        {
            new Handover(callbacks, () -> drained.completeExceptionally(cause)).handOver();
        }
    }
}
