// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.ring;

import com.lmax.disruptor.ExceptionHandler;

import java.util.function.Consumer;

/**
 * Stops the engine on the first exception of any handler. When this returns, Disruptor moves the handler's sequence
 * past the event that failed and continues with the rest of the batch, so the next gates open for a group that may not
 * have been appended. The engine is marked as failed before that, and every handler checks the mark before each event:
 * later events are skipped until the halted threads find their barriers alerted and end. Throwing instead would end the
 * thread without moving its sequence, and every thread that waits for the sequence would wait indefinitely.
 */
public final class HaltingExceptionHandler<T> implements ExceptionHandler<T>
{
    private final Consumer<Throwable> halt;

    /** @param halt stops the engine. */
    public HaltingExceptionHandler(final Consumer<Throwable> halt)
    {
        this.halt = halt;
    }

    @Override
    public void handleEventException(final Throwable exception, final long sequence, final T event)
    {
        halt.accept(exception);
    }

    @Override
    public void handleOnStartException(final Throwable exception)
    {
        halt.accept(exception);
    }

    @Override
    public void handleOnShutdownException(final Throwable exception)
    {
        halt.accept(exception);
    }
}
