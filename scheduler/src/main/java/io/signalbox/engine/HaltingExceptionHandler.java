// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import com.lmax.disruptor.ExceptionHandler;

/**
 * Stops the engine on the first exception of any handler. Returning would skip the event and throwing would hang the
 * publishers, so the handlers look at the engine's state before each event and let the rest pass unseen.
 */
final class HaltingExceptionHandler<T> implements ExceptionHandler<T>
{
    private final ThreadedEngine engine;

    HaltingExceptionHandler(final ThreadedEngine engine)
    {
        this.engine = engine;
    }

    @Override
    public void handleEventException(final Throwable exception, final long sequence, final T event)
    {
        engine.fail(exception);
    }

    @Override
    public void handleOnStartException(final Throwable exception)
    {
        engine.fail(exception);
    }

    @Override
    public void handleOnShutdownException(final Throwable exception)
    {
        engine.fail(exception);
    }
}
