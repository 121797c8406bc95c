// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.ConfigException;
import io.signalbox.event.GroupReader;
import io.signalbox.event.InputWriter;
import io.signalbox.event.codec.CancelDecoder;
import io.signalbox.event.codec.CommitDecoder;
import io.signalbox.event.codec.ControlDecoder;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.event.codec.SubmitEncoder;
import io.signalbox.experts.RequestRows;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.kv.BlockHasher;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Submits requests to an engine and follows them. Inputs of clients enter the ingress ring by credits, fewer than it
 * has slots, so that the completions of the backend always find one. An engine without a free credit refuses, or lets
 * the caller wait up to a deadline; it never loses or reorders.
 *
 * <p>Give {@link #listener()} to the {@link EngineContext}, then {@link #connect} to the engine. Thread-safe.
 */
public final class EngineClient
{
    private final SchedulerConfig config;
    private final LongSupplier clock;
    private final Semaphore credits;
    private final int creditCount;
    private final AtomicLong nextRequestId = new AtomicLong(1);
    private final Map<Long, CompletionHandle> handles = new ConcurrentHashMap<>();
    private final ThreadLocal<Encoding> encodings;
    private final GroupReader reader = new GroupReader();
    private final CommitDecoder commit = new CommitDecoder();
    private final FreeDecoder free = new FreeDecoder();
    private final RefusedDecoder refused = new RefusedDecoder();
    private volatile Engine engine;
    private volatile Throwable failure;

    /** What one submitting thread needs: hashing and encoding happen outside the engine's threads. */
    private static final class Encoding
    {
        final InputWriter writer = new InputWriter();
        final BlockHasher hasher;

        Encoding(final int blockSizeTokens)
        {
            hasher = new BlockHasher(blockSizeTokens);
        }
    }

    /**
     * Creates a client.
     *
     * @param ingressSlots slots of the engine's ingress ring.
     * @param clock        nanoseconds on any fixed origin: the logical time of inputs.
     */
    public EngineClient(final SchedulerConfig config, final int ingressSlots, final LongSupplier clock)
    {
        this.config = config;
        this.clock = clock;
        creditCount = ingressSlots - 2 * config.ranks();
        if (creditCount < 1)
        {
            throw new ConfigException("ingressSlots=" + ingressSlots +
                " leaves no slot for clients beside two for each of " + config.ranks() +
                " ranks; give at least " + (2 * config.ranks() + 1) + ".");
        }
        credits = new Semaphore(creditCount);
        encodings = ThreadLocal.withInitial(() -> new Encoding(config.blockSizeTokens()));
    }

    public void connect(final Engine target)
    {
        engine = target;
    }

    /** Inputs that clients may have in the ingress ring at a time. */
    public int creditCount()
    {
        return creditCount;
    }

    /**
     * Submits a request, waiting for a credit up to the timeout.
     *
     * @return the handle, or null when the engine had no credit in time: nothing was submitted.
     */
    public CompletionHandle submit(final CompletionRequest request, final long timeoutNanos) throws InterruptedException
    {
        if (!credits.tryAcquire(timeoutNanos, TimeUnit.NANOSECONDS))
        {
            return null;
        }
        checkRunning();
        final CompletionHandle handle = new CompletionHandle(nextRequestId.getAndIncrement(), request.rowsFrom());
        handles.put(handle.requestId(), handle);
        final Encoding encoding = encodings.get();
        encode(encoding, request, handle.requestId());
        offer(encoding.writer);
        return handle;
    }

    /** Asks for the end of a request; its handle completes as cancelled unless it ended before. */
    public void cancel(final CompletionHandle handle) throws InterruptedException
    {
        credits.acquire();
        checkRunning();
        final InputWriter writer = encodings.get().writer;
        writer.cancel().timeNanos(clock.getAsLong()).requestId(handle.requestId());
        offer(writer);
    }

    /**
     * Takes the routed experts of a request that has ended and asked for them: a copy from the wanted position on. The
     * scheduler then gives up its own.
     *
     * @return null when the request asked for none, capture is off, or they were taken before.
     */
    public RoutedExperts takeRows(final CompletionHandle handle) throws InterruptedException
    {
        final RequestRows rows = engine.rows(handle.requestId());
        if (rows == null)
        {
            return null;
        }
        final CompletionHandle.Ended ended = handle.ended().join();
        final int count = ended.capturedRows() + ended.inheritedRows() + ended.missingRows();
        final RoutedExperts copy = rows.copy(Math.min(handle.rowsFrom(), count), count);
        credits.acquire();
        checkRunning();
        final InputWriter writer = encodings.get().writer;
        writer.control().timeNanos(clock.getAsLong()).requestId(handle.requestId()).kind(ControlKind.RELEASE_ROWS).note("");
        offer(writer);
        return copy;
    }

    private void checkRunning()
    {
        if (failure != null)
        {
            throw new IllegalStateException("the engine has failed: " + failure.getMessage(), failure);
        }
    }

    private void offer(final InputWriter writer)
    {
        try
        {
            engine.offer(writer.buffer(), 0, writer.length(), null);
        }
        catch (final IllegalStateException e)
        {
            failAll(e);
            throw e;
        }
    }

    private void encode(final Encoding encoding, final CompletionRequest request, final long requestId)
    {
        final int[] prompt = request.prompt();
        final long[] hashes = new long[prompt.length / config.blockSizeTokens()];
        encoding.hasher.hash(prompt, prompt.length, request.cacheKey(), hashes);
        final UnsafeBuffer hashBytes = new UnsafeBuffer(new byte[hashes.length * Long.BYTES]);
        for (int i = 0; i < hashes.length; i++)
        {
            hashBytes.putLong(i * Long.BYTES, hashes[i]);
        }
        final UnsafeBuffer tokenBytes = new UnsafeBuffer(new byte[prompt.length * Integer.BYTES]);
        for (int i = 0; i < prompt.length; i++)
        {
            tokenBytes.putInt(i * Integer.BYTES, prompt[i]);
        }
        final SubmitEncoder submit = encoding.writer.submit();
        submit.timeNanos(clock.getAsLong()).requestId(requestId).conversationId(-1).predecessorId(-1).thinkTimeNanos(0)
            .deadlineNanos(request.deadlineNanos()).samplingSeed(requestId).promptTokens(prompt.length)
            .maxNewTokens(request.maxNewTokens()).stopTokenId(request.stopTokenId()).rowsFrom(request.rowsFrom())
            .priority(request.priority()).rankHint(-1).temperature(1f).topP(1f).rankHintRelaxed(Flag.NO);
        submit.putBlockHashes(hashBytes, 0, hashBytes.capacity());
        submit.putCacheKey(request.cacheKey(), 0, request.cacheKey().length);
        submit.putTokens(tokenBytes, 0, tokenBytes.capacity());
    }

    /** Follows the groups of the engine: credits come back, tokens become visible, handles complete. */
    public GroupListener listener()
    {
        return this::onGroup;
    }

    private void onGroup(final DirectBuffer group, final int offset, final int length)
    {
        reader.wrap(group, offset, length);
        reader.next();
        if (reader.templateId() == SubmitDecoder.TEMPLATE_ID || reader.templateId() == CancelDecoder.TEMPLATE_ID ||
            reader.templateId() == ControlDecoder.TEMPLATE_ID)
        {
            credits.release();
        }
        while (reader.next())
        {
            switch (reader.templateId())
            {
                case CommitDecoder.TEMPLATE_ID ->
                    onCommit(commit.wrapAndApplyHeader(reader.buffer(), reader.offset(), reader.header()));
                case FreeDecoder.TEMPLATE_ID ->
                    onFree(free.wrapAndApplyHeader(reader.buffer(), reader.offset(), reader.header()));
                case RefusedDecoder.TEMPLATE_ID ->
                    onRefused(refused.wrapAndApplyHeader(reader.buffer(), reader.offset(), reader.header()));
                default ->
                {
                }
            }
        }
    }

    private void onCommit(final CommitDecoder message)
    {
        for (final CommitDecoder.RowsDecoder row : message.rows())
        {
            final CompletionHandle handle = row.emittedTokenId() < 0 ? null : handles.get(row.requestId());
            if (handle != null)
            {
                handle.emitted(row.emittedTokenId());
            }
        }
    }

    private void onFree(final FreeDecoder message)
    {
        final CompletionHandle handle = handles.remove(message.requestId());
        if (handle != null)
        {
            handle.freed(message.reason(), message.capturedRows(), message.inheritedRows(), message.missingRows());
        }
    }

    private void onRefused(final RefusedDecoder message)
    {
        final CompletionHandle handle = handles.remove(message.requestId());
        if (handle != null)
        {
            handle.refused(message.reason());
        }
    }

    /** Completes every open handle exceptionally and lets nobody wait: to be called when the engine has failed. */
    public void failAll(final Throwable cause)
    {
        failure = cause;
        credits.release(creditCount);
        handles.values().forEach(handle -> handle.failed(cause));
        handles.clear();
    }
}
