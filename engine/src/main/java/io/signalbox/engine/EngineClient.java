// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.ConfigException;
import io.signalbox.engine.ring.AnnouncedWeights;
import io.signalbox.engine.ring.ClientCredits;
import io.signalbox.engine.ring.Handover;
import io.signalbox.event.InputWriter;
import io.signalbox.event.codec.ControlEncoder;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.event.codec.SubmitEncoder;
import io.signalbox.event.codec.WeightsWay;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.kv.hash.BlockHasher;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.DirectBuffer;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
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
    private static final int CANCELLED = -1;

    private final LongSupplier clock;
    private final Executor callbacks;
    private final long waitNanos;
    private final ClientCredits credits;
    private final CompletableFuture<Void> drained = new CompletableFuture<>();
    private final OpenHandles handles = new OpenHandles(this::drained);
    private final AtomicLong nextRequestId = new AtomicLong(1);
    private final ThreadLocal<SubmitEncoding> encodings;
    private final int blockSizeTokens;
    private final ThreadLocal<BlockHasher> hashers;
    private final RowTaking rows;
    private final RowRoom rowRoom;
    private final AnnouncedWeights weights;
    private final ClientEvents events;
    private volatile Engine engine;
    /** Tells the engine that an input will come at once. */
    private volatile Runnable expectsInput = () -> { };
    private volatile GroupJournal journal = GroupJournal.NONE;
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
        rowRoom = new RowRoom(config, given.mostUntakenBytes(), given.rowBudget());
        weights = new AnnouncedWeights(callbacks);
        events = new ClientEvents(credits, handles, rowRoom, weights,
            new FailedSteps(callbacks, given.stepFailureListener()), clock, config.blockSizeTokens());
        blockSizeTokens = config.blockSizeTokens();
        hashers = ThreadLocal.withInitial(() -> BlockHasher.of(config.blockHash(), blockSizeTokens));
        final int vocabularySize = given.value(EngineConfig.VOCABULARY_SIZE);
        encodings = ThreadLocal.withInitial(() -> new SubmitEncoding(config, vocabularySize, given.endTokens()));
        given.attach(this);
    }

    /** @param target opened on the configuration that the client was made from. */
    void connect(final Engine target)
    {
        engine = target;
    }

    /** The same; the engine knows of a request before it is encoded. */
    void connect(final ThreadedEngine target)
    {
        expectsInput = target::expectInput;
        connect((Engine)target);
    }

    /** @param target of the engine; asked whether a request may begin. */
    void journal(final GroupJournal target)
    {
        journal = target;
    }

    /**
     * The engine continues a run: the client follows the requests that it left.
     *
     * @param awaitedWeights weights that were announced and have not come.
     */
    void resume(final ResumedRequests requests, final int awaitedWeights)
    {
        resumed = requests.handles();
        resumed.stream().filter(requests::isLive).forEach(handles::add);
        nextRequestId.set(requests.nextRequestId());
        resumed.forEach(rowRoom::resume);
        events.continueAt(requests.weightGeneration());
        weights.resume(awaitedWeights);
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
        Objects.requireNonNull(request, "the request is null; give one");
        final long requestId = nextRequestId.getAndIncrement();
        try
        {
            return submit(request, requestId, patience());
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
            return new CompletionHandle(this, Refusal.interrupted());
        }
    }

    /** Submits several samples of one prompt: all but the first share the KV blocks that the first one computes. */
    List<CompletionHandle> submitSamples(final CompletionRequest request, final int samples)
    {
        Objects.requireNonNull(request, "the request is null; give one");
        if (samples < 1)
        {
            throw ConfigException.of("samples", Integer.toString(samples), "1 or more", "give how many answers you want");
        }
        final List<CompletionHandle> handles = new ArrayList<>(samples);
        handles.add(submit(request));
        final CompletionHandle first = handles.get(0);
        while (handles.size() < samples)
        {
            handles.add(first.requestId() == CompletionHandle.NO_ID ? first :
                submit(request.sample(first.requestId(), handles.size())));
        }
        return List.copyOf(handles);
    }

    private Refusal full()
    {
        return Refusal.full(credits.count(), events.nanosUntilInputs(Math.max(1, credits.count() / CREDITS_SHARE)));
    }

    /** The time that a call may wait for room: none in a thread of the engine, which makes the room. */
    private long patience()
    {
        return engine != null && engine.isOwnThread() ? 0 : waitNanos;
    }

    /**
     * Submits a request, waiting for room up to the timeout.
     *
     * @return the handle, or null when the engine had no room in time or drains: nothing was submitted.
     */
    CompletionHandle submit(final CompletionRequest request, final long timeoutNanos) throws InterruptedException
    {
        final CompletionHandle handle = submit(request, nextRequestId.getAndIncrement(), timeoutNanos);
        return handle.isDone() && handle.isRefusedAtTheDoor() ? null : handle;
    }

    private CompletionHandle submit(final CompletionRequest request, final long requestId, final long timeoutNanos)
        throws InterruptedException
    {
        // Encode before taking room: a request that cannot be encoded needs none.
        final CompletionHandle handle = new CompletionHandle(this, requestId, request);
        final SubmitEncoding encoding = encodings.get();
        final SubmitEncoder message = encoding.encode(request, requestId, expectsInput);
        final long start = System.nanoTime();
        final String full = journal.refusesRequests();
        final Refusal noRoom = full != null ? Refusal.ofJournal(full) : rowRoom.reserve(request, requestId, timeoutNanos);
        if (noRoom != null)
        {
            handles.checkRunning();
            return new CompletionHandle(this, noRoom);
        }
        boolean sent = false;
        try
        {
            if (takeCredits(request, timeoutNanos, start))
            {
                sent = send(request, handle, encoding, message);
                note(request, requestId, sent, encoding.writer);
            }
            return sent ? handle :
                new CompletionHandle(this, handles.isDraining() ? Refusal.draining() : full());
        }
        finally
        {
            if (!sent)
            {
                rowRoom.free(requestId);
            }
        }
    }

    /** One for the request, and one for the note of its client's id: both at once, so that none waits with one. */
    private boolean takeCredits(final CompletionRequest request, final long timeoutNanos, final long start)
        throws InterruptedException
    {
        return takeCredits(isNoted(request) ? 2 : 1, Math.max(0, timeoutNanos - (System.nanoTime() - start)));
    }

    /** An engine with room for one input has none for notes. */
    private boolean isNoted(final CompletionRequest request)
    {
        return request.clientId().isPresent() && credits.count() > 1;
    }

    /** Journals the client's id of a request; it decides nothing, so it follows the request. */
    private void note(
        final CompletionRequest request, final long requestId, final boolean sent, final InputWriter writer)
    {
        if (isNoted(request) && sent)
        {
            writer.control().timeNanos(clock.getAsLong()).requestId(requestId).kind(ControlKind.NOTE).way(WeightsWay.NONE)
                .note(request.clientId().orElseThrow());
            offer(writer, requestId);
        }
        else if (isNoted(request))
        {
            credits.giveBack();
        }
    }

    /** Returns whether the engine has the request; if not, the credit is back. */
    private boolean send(
        final CompletionRequest request,
        final CompletionHandle handle,
        final SubmitEncoding encoding,
        final SubmitEncoder message)
    {
        final long now = clock.getAsLong();
        message.timeNanos(now).deadlineNanos(request.deadlineOf(now));
        credits.sent(handle.requestId());
        boolean sent = false;
        try
        {
            if (handles.add(handle))
            {
                engine.offer(encoding.writer.buffer(), 0, encoding.writer.length(), null);
                sent = true;
            }
            return sent;
        }
        finally
        {
            if (!sent)
            {
                handles.remove(handle.requestId());
                credits.passed(handle.requestId());
            }
        }
    }

    long[] blockHashes(final int[] tokens, final byte[] cacheKey)
    {
        final long[] hashes = new long[tokens.length / blockSizeTokens];
        hashers.get().hash(tokens, tokens.length, cacheKey, hashes);
        return hashes;
    }

    int blockSizeTokens()
    {
        return blockSizeTokens;
    }

    /** Cancels a request; false if the engine had no room for that. */
    boolean cancel(final CompletionHandle handle)
    {
        return handle.isDone() || patiently(nanos -> cancel(handle, nanos));
    }

    /** Ends the answer of a request; false if it had ended, or the engine had no room for that. */
    boolean stopAfter(final CompletionHandle handle, final int answerTokens)
    {
        if (!handle.cut(answerTokens))
        {
            return false;
        }
        boolean asked = false;
        try
        {
            asked = patiently(nanos -> end(handle, answerTokens, nanos));
            return asked;
        }
        finally
        {
            if (!asked)
            {
                handle.uncut();
            }
        }
    }

    CompletableFuture<Integer> newWeights(final WeightSwap way, final String version)
    {
        final CompletableFuture<Integer> stage = new CompletableFuture<>();
        if (!patiently(nanos -> newWeights(way, version, nanos, stage)))
        {
            stage.completeExceptionally(new IllegalStateException("the engine had no room in time for the announcement of " +
                "the weights '" + version + "'; nothing was announced, so announce them again"));
        }
        return stage;
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
        return end(handle, CANCELLED, timeoutNanos);
    }

    private boolean end(final CompletionHandle handle, final int answerTokens, final long timeoutNanos)
        throws InterruptedException
    {
        handle.checkClient(this);
        // Encode before taking a credit: a failure here costs none.
        final InputWriter writer = encodings.get().writer;
        if (!takeCredit(timeoutNanos))
        {
            return false;
        }
        writer.cancel().timeNanos(clock.getAsLong()).requestId(handle.requestId()).answerTokens(answerTokens);
        offer(writer, handle.requestId());
        return true;
    }

    /** Replaces the weights of the model: {@link SignalboxEngine#newWeights}. Waits for a credit up to the timeout. */
    boolean newWeights(final WeightSwap way, final String version, final long timeoutNanos) throws InterruptedException
    {
        return newWeights(way, version, timeoutNanos, new CompletableFuture<>());
    }

    private boolean newWeights(
        final WeightSwap way, final String version, final long timeoutNanos, final CompletableFuture<Integer> stage)
        throws InterruptedException
    {
        if (way == null)
        {
            throw new IllegalArgumentException(
                "new weights need a way for requests that have begun, not null; give CONTINUE, ABORT, REQUEUE or DRAIN");
        }
        if (version == null)
        {
            throw new IllegalArgumentException(
                "new weights need a version for the journal, not null; give an empty text for weights without a name");
        }
        final InputWriter writer = encodings.get().writer;
        if (!takeCredit(timeoutNanos))
        {
            return false;
        }
        weights.send(stage, () ->
        {
            writer.control().timeNanos(clock.getAsLong()).requestId(NO_REQUEST).kind(ControlKind.NEW_WEIGHTS)
                .way(WeightsWay.valueOf(way.name())).note(version);
            offer(writer, NO_REQUEST);
        });
        return true;
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

    /** Generation of the newest weights that have come; 0: those with which the run began. */
    int weightGeneration()
    {
        return events.weightGeneration();
    }

    /** Waits for the end of a request and takes its routed experts: {@link CompletionHandle#takeRows(Duration)}. */
    RoutedExperts takeRows(final CompletionHandle handle, final long timeoutNanos)
        throws InterruptedException, TimeoutException
    {
        handle.checkClient(this);
        return rows.take(handle, timeoutNanos);
    }

    long timeNanos()
    {
        return clock.getAsLong();
    }

    RowTaking rowTaking()
    {
        return rows;
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
        return takeCredits(1, timeoutNanos);
    }

    private boolean takeCredits(final int count, final long timeoutNanos) throws InterruptedException
    {
        if (engine == null)
        {
            throw new IllegalStateException("the client has no engine; connect it first");
        }
        if (!credits.take(count, timeoutNanos))
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
            credits.giveBack(count);
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

    /** The engine accepts no further input: completes every open handle exceptionally and releases every waiting caller. */
    void failAll(final Throwable cause)
    {
        handles.failAll(cause);
        weights.failAll(cause);
        credits.giveBack();
        rowRoom.end();
        if (handles.isDraining())
        {
            new Handover(callbacks, () -> drained.completeExceptionally(cause)).handOver();
        }
    }
}
