// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

/**
 * Follows one request. Calls come one after the other, on the executor that was given to {@link CompletionHandle#listen} and
 * never in a thread of the engine: a listener may block or call the engine, and delays only itself. An exception of a
 * listener goes to the thread's handler of uncaught exceptions. After {@link #onTokens} has thrown, it gets no more tokens,
 * but still the last call.
 */
@FunctionalInterface
public interface TokenListener
{
    /**
     * Tokens became visible since the last call; read them with {@link CompletionHandle#token}.
     *
     * @param from index of the first one.
     * @param to   index behind the last one.
     */
    void onTokens(CompletionHandle request, int from, int to);

    /** The request has ended or was refused; the last call. */
    default void onEnd(final CompletionHandle request, final Completion completion)
    {
    }

    /** The engine stopped before the request ended; the last call. */
    default void onFailure(final CompletionHandle request, final Throwable cause)
    {
    }
}
