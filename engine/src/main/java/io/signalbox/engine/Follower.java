// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A listener or subscriber that follows a request at its own pace. The engine only says that there is news; a run on the
 * follower's executor reads what is visible by then. At most one run is under way, so calls of the follower's code come one
 * by one.
 */
abstract class Follower
{
    private final Handover handover;
    /** News that no run has seen, or is seeing. */
    private final AtomicInteger news = new AtomicInteger();

    Follower(final Executor executor)
    {
        handover = new Handover(executor, this::run);
    }

    /** There are tokens, or an end, or a wish of the follower. Never waits, and never runs the follower's code. */
    final void signal()
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
                stop();
                report(e);
            }
            seen = news.addAndGet(-seen);
        }
    }

    static void report(final Throwable thrown)
    {
        final Thread thread = Thread.currentThread();
        thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
    }

    /** Passes on what is visible. */
    abstract void read() throws Exception;

    /** The follower's code threw: it is not called again. */
    abstract void stop();
}
