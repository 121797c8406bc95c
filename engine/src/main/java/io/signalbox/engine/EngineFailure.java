// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * The cause for which an engine stopped. Each listener receives it, even if an earlier listener threw or the heap is
 * exhausted: a memory reserve is freed, and the call is repeated until it succeeds.
 */
final class EngineFailure
{
    private static final int RESERVE_BYTES = 1 << 20;

    private final AtomicReference<Throwable> cause = new AtomicReference<>();
    private final AtomicBoolean told = new AtomicBoolean();
    private final List<Consumer<Throwable>> listeners;
    private final Runnable tellNext = this::tellNext;
    private byte[] reserve = new byte[RESERVE_BYTES];
    private Throwable tellOf;
    private int next;

    EngineFailure(final List<Consumer<Throwable>> listeners)
    {
        this.listeners = listeners;
    }

    /** The cause for which the engine stopped, or null. */
    Throwable cause()
    {
        return cause.get();
    }

    /**
     * Stops the engine, once.
     *
     * @param stop ends the work in progress; may be repeated.
     */
    void fail(final Throwable failure, final Runnable stop)
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
                tell(failure);
            }
        }
    }

    /** Passes to the listeners, once, the reason why the engine accepts no further input, or its failure if it failed. */
    void tell(final Throwable reason)
    {
        if (told.compareAndSet(false, true))
        {
            final Throwable failure = cause.get();
            tellOf = failure == null ? reason : failure;
            while (next < listeners.size())
            {
                try
                {
                    MemoryShortage.outlast(tellNext);
                }
                catch (final RuntimeException | Error e)
                {
                    tellOf.addSuppressed(e);
                }
                next++;
            }
        }
    }

    private void tellNext()
    {
        listeners.get(next).accept(tellOf);
    }

    /** @throws IllegalStateException when the engine has failed. */
    void check()
    {
        final Throwable failure = cause.get();
        if (failure != null)
        {
            throw new IllegalStateException("the engine has failed: " + failure.getMessage(), failure);
        }
    }
}
