// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.ring;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * The cause for which an engine stopped. The clients receive the cause, or the reason of an end without a failure. Then the
 * failure listener receives a cause. All of them are called, even if an earlier call threw or the heap is exhausted: a
 * memory reserve is freed, and the call is repeated until it succeeds.
 */
public final class EngineFailure
{
    private static final int RESERVE_BYTES = 1 << 20;

    private final AtomicReference<Throwable> cause = new AtomicReference<>();
    private final AtomicBoolean ended = new AtomicBoolean();
    private final List<Consumer<Throwable>> clients;
    private final Consumer<Throwable> listener;
    private final Runnable tellNextClient = this::tellNextClient;
    private final Runnable tellListener = this::tellListener;
    private byte[] reserve = new byte[RESERVE_BYTES];
    private Throwable end;
    private int next;

    /**
     * @param clients  receive, in this order, the reason why the engine accepts no further input.
     * @param listener receives the cause if the engine fails; not called if the engine is closed.
     */
    public EngineFailure(final List<Consumer<Throwable>> clients, final Consumer<Throwable> listener)
    {
        this.clients = clients;
        this.listener = listener;
    }

    /** The cause for which the engine stopped, or null. */
    public Throwable cause()
    {
        return cause.get();
    }

    /**
     * Stops the engine, once.
     *
     * @param stop ends the work in progress; may be repeated.
     */
    public void fail(final Throwable failure, final Runnable stop)
    {
        if (cause.compareAndSet(null, failure))
        {
            reserve = null;
            try
            {
                MemoryShortage.outlast(stop);
            }
            finally
            {
                end(failure);
                tell(tellListener, failure);
            }
        }
    }

    /** Passes to the clients, once, the reason why the engine accepts no further input, or its failure if it failed. */
    public void end(final Throwable reason)
    {
        if (ended.compareAndSet(false, true))
        {
            final Throwable failure = cause.get();
            end = failure == null ? reason : failure;
            for (; next < clients.size(); next++)
            {
                tell(tellNextClient, end);
            }
        }
    }

    private static void tell(final Runnable call, final Throwable told)
    {
        try
        {
            MemoryShortage.outlast(call);
        }
        catch (final RuntimeException | Error e)
        {
            told.addSuppressed(e);
        }
    }

    private void tellNextClient()
    {
        clients.get(next).accept(end);
    }

    private void tellListener()
    {
        listener.accept(cause.get());
    }

    /** @throws IllegalStateException when the engine has failed. */
    public void check()
    {
        final Throwable failure = cause.get();
        if (failure != null)
        {
            throw new IllegalStateException("the engine has failed: " + failure.getMessage(), failure);
        }
    }
}
