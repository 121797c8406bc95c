// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.event.codec.FreeReason;
import io.signalbox.event.codec.RefusalReason;
import io.signalbox.experts.WeightSpan;
import org.agrona.collections.IntArrayList;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/** A client's view of one request: the tokens that became visible so far, and how it ended. Thread-safe. */
public final class CompletionHandle
{
    /**
     * How a request ended.
     *
     * @param reason  why it ended, or null when it was refused.
     * @param refusal why it was refused, or null.
     * @param weights which weights computed which positions, in ascending order. The token at a position was sampled by
     *                those of the position before it.
     */
    public record Ended(
        FreeReason reason,
        RefusalReason refusal,
        int[] tokens,
        int capturedRows,
        int inheritedRows,
        int missingRows,
        List<WeightSpan> weights)
    {
        /** Rows of routed experts that the request has, there or not. */
        int rows()
        {
            return capturedRows + inheritedRows + missingRows;
        }
    }

    /** The common pool; if it has no workers, each completion gets a thread. */
    private static final Executor CALLBACKS = ForkJoinPool.getCommonPoolParallelism() > 0 ?
        ForkJoinPool.commonPool() : new CompletableFuture<Void>().defaultExecutor();

    private final EngineClient client;
    private final long requestId;
    private final int rowsFrom;
    private final IntArrayList tokens = new IntArrayList();
    private final CompletableFuture<Ended> ended = new CompletableFuture<>();
    private final AtomicBoolean rowsTaken = new AtomicBoolean();

    CompletionHandle(final EngineClient client, final long requestId, final int rowsFrom)
    {
        this.client = client;
        this.requestId = requestId;
        this.rowsFrom = rowsFrom;
    }

    /** @throws IllegalArgumentException when another client made the handle: its id is that of another request here. */
    void checkClient(final EngineClient user)
    {
        if (user != client)
        {
            throw new IllegalArgumentException("the handle of request " + requestId + " is of another client");
        }
    }

    int rowsFrom()
    {
        return rowsFrom;
    }

    /** Whether the caller is the first: the rows of a request are handed over once. */
    boolean takeRows()
    {
        return rowsTaken.compareAndSet(false, true);
    }

    /** Records that the rows could not be handed over; they may be taken again. */
    void rowsNotTaken()
    {
        rowsTaken.set(false);
    }

    public long requestId()
    {
        return requestId;
    }

    /**
     * Completes when the request has ended or was refused; fails with the engine. Completed on the common pool and not
     * in the engine's threads, so that what depends on it may call the client; by then {@link #tokens()} has them all.
     */
    public CompletableFuture<Ended> ended()
    {
        return ended;
    }

    /** The tokens that are visible now. */
    public int[] tokens()
    {
        synchronized (tokens)
        {
            return tokens.toIntArray();
        }
    }

    void emitted(final int tokenId)
    {
        synchronized (tokens)
        {
            tokens.addInt(tokenId);
        }
    }

    void refused(final RefusalReason reason)
    {
        complete(() -> new Ended(null, reason, new int[0], 0, 0, 0, List.of()));
    }

    void freed(
        final FreeReason reason,
        final int captured,
        final int inherited,
        final int missing,
        final List<WeightSpan> weights)
    {
        complete(() -> new Ended(reason, null, tokens(), captured, inherited, missing, weights));
    }

    private void complete(final Supplier<Ended> result)
    {
        CALLBACKS.execute(() ->
        {
            try
            {
                MemoryShortage.outlast(() -> ended.complete(result.get()));
            }
            catch (final OutOfMemoryError e)
            {
                MemoryShortage.outlast(() -> ended.completeExceptionally(e));
            }
        });
    }

    void failed(final Throwable cause)
    {
        CALLBACKS.execute(() -> MemoryShortage.outlast(() -> ended.completeExceptionally(cause)));
    }
}
