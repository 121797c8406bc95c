// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Somebody who follows a request at a pace of its own. The engine only says that there is news; a run on the follower's
 * executor reads what is visible by then. At most one run is under way, so calls of the follower's code come one by one.
 */
abstract class Follower
{
    /** Set while the thread hands a run over, to recognise an executor that runs it at once. */
    private static final ThreadLocal<Boolean> HANDING_OVER = new ThreadLocal<>();

    private final Executor executor;
    /** News that no run has seen, or is seeing. */
    private final AtomicInteger news = new AtomicInteger();
    private final Runnable run = this::run;

    Follower(final Executor executor)
    {
        this.executor = executor;
    }

    /** There are tokens, or an end, or a wish of the follower. Never waits, and never runs the follower's code. */
    final void signal()
    {
        if (news.getAndIncrement() != 0)
        {
            return;
        }
        HANDING_OVER.set(Boolean.TRUE);
        try
        {
            executor.execute(run);
        }
        catch (final RejectedExecutionException e)
        {
            // An executor that was shut down must not keep the end of the request from its follower.
            CallbackThreads.EXECUTOR.execute(run);
        }
        finally
        {
            HANDING_OVER.set(null);
        }
    }

    private void run()
    {
        if (HANDING_OVER.get() != null)
        {
            // The executor runs its tasks in the calling thread, which may be one of the engine.
            CallbackThreads.EXECUTOR.execute(run);
            return;
        }
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

    private static void report(final Throwable thrown)
    {
        final Thread thread = Thread.currentThread();
        thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
    }

    /** Passes on what is visible. */
    abstract void read() throws Exception;

    /** The follower's code threw: it is not called again. */
    abstract void stop();
}
