// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.engine.request.RowClaim;
import io.signalbox.engine.request.TokenBuffer;
import io.signalbox.engine.ring.Handover;
import io.signalbox.engine.ring.MemoryShortage;
import io.signalbox.engine.ring.Nanos;
import io.signalbox.experts.RoutedExperts;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.PrimitiveIterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;

/**
 * A request as its client sees it: the tokens that are visible so far, and how it ended. Tokens are in one buffer, which
 * listeners, iterators and {@link #token} read without a copy, each at its own pace. Thread-safe.
 * The listener thread writes the tokens and publishes their count. The lock of this object guards the end; the first end is
 * kept.
 */
public final class CompletionHandle implements Iterable<Integer>
{
    /** Id of a request that the scheduler never received. */
    static final long NO_ID = -1;

    private final EngineClient client;
    private final long requestId;
    private final int rowsFrom;
    private final int promptTokens;
    private final long mostTokens;
    private final TokenBuffer tokens;
    private final RowClaim rowClaim = new RowClaim();
    private final Audience audience = new Audience();
    /** Made when somebody asks for it. Guarded by this object for writing. */
    private volatile CompletableFuture<Completion> future;
    private volatile Completion end;
    private volatile Throwable failure;
    private volatile int cachedTokens;

    CompletionHandle(
        final EngineClient client, final long requestId, final CompletionRequest request)
    {
        this(client, requestId, request.prompt().length, (long)request.prompt().length + request.maxNewTokens(),
            request.rowsFrom(), request.sampling().logprobs());
    }

    /** @param mostTokens of prompt and answer. */
    CompletionHandle(
        final EngineClient client,
        final long requestId,
        final int promptTokens,
        final long mostTokens,
        final int rowsFrom,
        final boolean wantsLogprobs)
    {
        this.client = client;
        this.requestId = requestId;
        this.promptTokens = promptTokens;
        this.mostTokens = mostTokens;
        this.rowsFrom = rowsFrom;
        tokens = new TokenBuffer(wantsLogprobs);
    }

    /** A request that was refused before it reached the scheduler. */
    CompletionHandle(final EngineClient client, final Refusal refusal)
    {
        this.client = client;
        requestId = NO_ID;
        rowsFrom = -1;
        promptTokens = 0;
        mostTokens = 0;
        tokens = TokenBuffer.EMPTY;
        end = new Completion(requestId, refusal);
    }

    /**
     * Id of the request in the run and in its journal. -1 if the engine refused the request before the scheduler took it:
     * the request is not in the journal, and a later engine of the run gives its number to another request.
     */
    public long requestId()
    {
        return requestId;
    }

    /** Tokens that are visible now. */
    public int tokenCount()
    {
        return tokens.count();
    }

    /** @throws IndexOutOfBoundsException if no such token is visible yet. */
    public int token(final int index)
    {
        return tokens.token(index);
    }

    /**
     * Log-probability of a token; {@link Float#NaN} if the backend reported none, or the request wants none.
     *
     * @throws IndexOutOfBoundsException if no such token is visible yet.
     */
    public float logprob(final int index)
    {
        return tokens.logprob(index);
    }

    /**
     * Tokens of the prompt that were not computed, because KV blocks of earlier requests have them; known when the first
     * token is visible. After a preemption it stays as it was.
     */
    public int cachedTokens()
    {
        return cachedTokens;
    }

    /** A copy of the tokens that are visible now. */
    public int[] tokens()
    {
        return tokens.copy();
    }

    /** A copy of the log-probabilities that are visible now; empty if the request wants none. */
    public float[] logprobs()
    {
        return tokens.copyLogprobs();
    }

    /** Whether the request has ended or was refused, or the engine stopped. */
    public boolean isDone()
    {
        return end != null || failure != null;
    }

    /**
     * Completes when the request has ended or was refused, and fails with the cause for which the engine stopped. It is
     * completed by the callback executor of the engine, never in the engine's threads.
     */
    public CompletionStage<Completion> completion()
    {
        return ended().minimalCompletionStage();
    }

    /** Waits until the request has ended or was refused. */
    public Completion await() throws InterruptedException
    {
        awaitToken(Integer.MAX_VALUE, Long.MAX_VALUE);
        return checkedEnd();
    }

    /**
     * Waits until the request has ended or was refused.
     *
     * @throws IllegalStateException if the engine stopped before; it names the cause.
     * @throws TimeoutException      if the request had not ended in time.
     */
    public Completion await(final Duration timeout) throws InterruptedException, TimeoutException
    {
        return await(Nanos.of(timeout));
    }

    Completion await(final long timeoutNanos) throws InterruptedException, TimeoutException
    {
        awaitToken(Integer.MAX_VALUE, timeoutNanos);
        if (!isDone())
        {
            throw new TimeoutException("request " + requestId + " had not ended in time");
        }
        return checkedEnd();
    }

    private Completion checkedEnd()
    {
        if (failure != null)
        {
            throw new IllegalStateException(
                "request " + requestId + " has no result because the engine stopped: " + failure.getMessage(), failure);
        }
        return end;
    }

    /** Calls a listener on the callback executor of the engine; the first call has the tokens that are visible already. */
    public void listen(final TokenListener listener)
    {
        listen(listener, client.callbacks());
    }

    /**
     * Calls a listener on an executor; the first call has the tokens that are visible already.
     *
     * @param executor must take a task without waiting. If it refuses one, or runs it in the calling thread, the listener is
     *                 called by a thread that the engine keeps for callbacks.
     */
    public void listen(final TokenListener listener, final Executor executor)
    {
        Objects.requireNonNull(listener, "the listener is null; give one");
        Objects.requireNonNull(executor, "the executor is null; give one");
        follow(new Follower(this, listener, executor));
    }

    /**
     * An iterator over all tokens, which waits for each. It throws {@link IllegalStateException} at the end if the request
     * was refused or failed, the engine stopped, or the waiting thread was interrupted.
     */
    @Override
    public PrimitiveIterator.OfInt iterator()
    {
        return new TokenIterator(this);
    }

    /**
     * Cancels the request: it ends as CANCELLED unless it ended before. Waits for room as the engine's back-pressure says.
     *
     * @return false if there was none: nothing was asked.
     */
    public boolean cancel()
    {
        return client.cancel(this);
    }

    /**
     * Ends the answer after so many of its tokens, for a caller that has found the end in them, such as a stop string. The
     * request ends with the reason STOP. Later tokens are hidden at once; they and their routed experts are in no result and
     * no export. The journal says the same. If the request ends by itself before the engine takes the call, that end stands,
     * with all of its tokens. Waits for room as the engine's back-pressure says.
     *
     * @param answerTokens 0 to {@link #tokenCount()}.
     * @return false if there was no room, or the request had ended: nothing was asked.
     * @throws IndexOutOfBoundsException if the answer has fewer tokens.
     */
    public boolean stopAfter(final int answerTokens)
    {
        return client.stopAfter(this, answerTokens);
    }

    /** The client has found the end of the answer. Returns false if the request has ended. */
    synchronized boolean cut(final int answerTokens)
    {
        final boolean isOpen = !isDone();
        if (isOpen)
        {
            tokens.cut(answerTokens);
        }
        return isOpen;
    }

    /** The engine was not asked to end the answer. */
    void uncut()
    {
        synchronized (this)
        {
            if (!isDone())
            {
                tokens.end(Integer.MAX_VALUE);
            }
        }
        audience.tell();
    }

    /**
     * Waits for the end of the request and reads its routed experts. They stay, also over a restart, until
     * {@link #releaseRoutedExperts} says that they are stored, or the bounds of untaken rows discard them.
     *
     * @return empty if the request asked for none or was refused, capture is off, or they were taken or released.
     * @throws RowsDiscardedException if they were discarded; it says why.
     * @throws TimeoutException       if the request had not ended in time.
     */
    public Optional<RoutedExperts> routedExperts(final Duration timeout) throws InterruptedException, TimeoutException
    {
        return Optional.ofNullable(client.rowTaking().read(this, Nanos.of(timeout)));
    }

    /**
     * Waits for the end of the request, reads its routed experts and releases them at once: a process that stops before it
     * has stored them loses them. {@link #routedExperts} and {@link #releaseRoutedExperts} do this in two steps.
     *
     * @return empty if the request asked for none or was refused, capture is off, or they were taken or released.
     * @throws RowsDiscardedException if they were discarded; it says why.
     * @throws TimeoutException       if the request had not ended, or the engine had no room, in time: nothing was taken.
     */
    public Optional<RoutedExperts> takeRoutedExperts(final Duration timeout) throws InterruptedException, TimeoutException
    {
        return Optional.ofNullable(client.takeRows(this, Nanos.of(timeout)));
    }

    /**
     * Releases the routed experts of the request, once it has ended, whether they were read or not. Does nothing if there
     * are none.
     *
     * @throws TimeoutException if the request had not ended, or the engine had no room, in time: nothing was released.
     */
    public void releaseRoutedExperts(final Duration timeout) throws InterruptedException, TimeoutException
    {
        client.rowTaking().release(this, Nanos.of(timeout));
    }

    /** @throws IllegalArgumentException when another client made the handle: its id is that of another request here. */
    void checkClient(final EngineClient user)
    {
        if (user != client)
        {
            throw new IllegalArgumentException("the handle of request " + requestId + " is of another client");
        }
    }

    /** Whether the engine never had the request. */
    boolean isRefusedAtTheDoor()
    {
        return tokens == TokenBuffer.EMPTY;
    }

    int rowsFrom()
    {
        return rowsFrom;
    }

    /** The most tokens that its prompt and its answer can have. */
    long mostTokens()
    {
        return mostTokens;
    }

    RowClaim rowClaim()
    {
        return rowClaim;
    }

    int promptTokens()
    {
        return promptTokens;
    }

    CompletableFuture<Completion> ended()
    {
        if (future == null)
        {
            synchronized (this)
            {
                future = future == null ? new CompletableFuture<>() : future;
            }
            // Nobody depends on it yet, so this runs nobody's code.
            completeFuture();
        }
        return future;
    }

    private void completeFuture()
    {
        if (failure != null)
        {
            future.completeExceptionally(failure);
        }
        else if (end != null)
        {
            future.complete(end);
        }
    }

    /** How the request ended; {@code null} if it has not. */
    Completion end()
    {
        return end;
    }

    /** Why the engine stopped before the request ended; {@code null} if it did not. */
    Throwable failure()
    {
        return failure;
    }

    /** Why there are no further tokens, if that is a fault; {@code null} if it is none. */
    RuntimeException fault()
    {
        if (failure != null)
        {
            return new IllegalStateException("the engine stopped: " + failure.getMessage(), failure);
        }
        if (end.isRefused())
        {
            return new IllegalStateException(end.toString());
        }
        return end.failure().map(cause ->
            new IllegalStateException("request " + requestId + " failed: " + cause.sentence())).orElse(null);
    }

    private void follow(final Follower follower)
    {
        audience.add(follower);
        // Tokens and an end that came before.
        follower.signal();
    }

    void unfollow(final Follower follower)
    {
        audience.remove(follower);
    }

    /**
     * Waits until the token is visible or no further one comes.
     *
     * @return whether it is visible.
     */
    boolean awaitToken(final int index)
    {
        try
        {
            awaitToken(index, Long.MAX_VALUE);
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for token " + index + " of request " + requestId, e);
        }
        return index < tokens.count();
    }

    private void awaitToken(final int index, final long timeoutNanos) throws InterruptedException
    {
        if (index < tokens.count() || isDone())
        {
            return;
        }
        client.refuseOwnThread("await");
        audience.await(() -> index < tokens.count() || isDone(), timeoutNanos);
    }

    /** The request has entered a batch for the first time. */
    void admitted(final int matchedTokens)
    {
        cachedTokens = matchedTokens;
    }

    /** Adds a token that {@link #visible} shows. Called by one thread, as are the methods that follow. */
    void emitted(final int tokenId, final float logprob)
    {
        tokens.append(tokenId, logprob);
    }

    /** Shows the tokens that were emitted, and says so to those who wait. */
    void visible()
    {
        tokens.show();
        audience.tell();
    }

    void refused(final Refusal refusal)
    {
        synchronized (this)
        {
            end = failure == null ? new Completion(requestId, refusal) : null;
        }
        finish();
    }

    void freed(final RequestEnd how)
    {
        synchronized (this)
        {
            tokens.end(how.tokens());
            end = failure == null ? new Completion(requestId, tokens, how) : null;
        }
        finish();
    }

    /** Unlike {@link #finish}, does not change how a request ended and does not run foreign code. May be repeated. */
    void failed(final Throwable cause)
    {
        synchronized (this)
        {
            failure = end == null ? cause : null;
        }
        audience.wake();
    }

    /** Tells listeners and the future that the request has ended. */
    void finish()
    {
        audience.tell();
        // Read after the end was written, as the maker of the future reads the end after it wrote the future.
        if (future != null)
        {
            new Handover(client.callbacks(), () -> MemoryShortage.outlast(this::completeFuture)).handOver();
        }
    }

    @Override
    public String toString()
    {
        if (end != null)
        {
            return end.toString();
        }
        return "request " + requestId + (failure == null ? " has " + tokenCount() + " tokens" :
            " has no result because the engine stopped: " + failure.getMessage());
    }
}
