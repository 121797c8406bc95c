// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.engine.ring.Handover;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Calls a listener with the tokens of a request at the listener's own pace: until the listener throws, and with the end in
 * every case. The engine only says that there is news; a run on the listener's executor reads what is visible by then. At
 * most one run is under way, so calls of the listener come one by one.
 */
final class Follower
{
    private final CompletionHandle request;
    private final TokenListener listener;
    private final Handover handover;
    /** News that no run has seen, or is seeing. */
    private final AtomicInteger news = new AtomicInteger();
    private int next;
    private boolean threw;
    private boolean ended;

    Follower(final CompletionHandle request, final TokenListener listener, final Executor executor)
    {
        this.request = request;
        this.listener = listener;
        handover = new Handover(executor, this::run);
    }

    /** There are tokens, or an end. Never waits, and never calls the listener. */
    void signal()
    {
        if (news.getAndIncrement() > 0)
        {
            return;
        }
        boolean handedOver = false;
        try
        {
            handover.handOver();
            handedOver = true;
        }
        finally
        {
            if (!handedOver && handover.withdraw())
            {
                // The JVM is exhausted: the next signal tries again.
                news.set(0);
            }
        }
    }

    private void run()
    {
        int seen = news.get();
        while (seen != 0)
        {
            try
            {
                read();
            }
            catch (final Throwable e)
            {
                ended = true;
                request.unfollow(this);
                report(e);
            }
            seen = news.addAndGet(-seen);
        }
    }

    private static void report(final Throwable thrown)
    {
        final Thread thread = Thread.currentThread();
        thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
    }

    private void read()
    {
        // The end first: when it is there, so are all tokens.
        final boolean last = request.isDone();
        final int visible = request.tokenCount();
        if (!ended && !threw && next < visible)
        {
            final int from = next;
            next = visible;
            tokens(from, visible);
        }
        if (!ended && last)
        {
            ended = true;
            final Throwable failure = request.failure();
            if (failure == null)
            {
                listener.onEnd(request, request.end());
            }
            else
            {
                listener.onFailure(request, failure);
            }
        }
    }

    private void tokens(final int from, final int to)
    {
        try
        {
            listener.onTokens(request, from, to);
        }
        catch (final Throwable e)
        {
            threw = true;
            report(e);
        }
    }
}
