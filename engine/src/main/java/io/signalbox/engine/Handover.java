// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import java.util.concurrent.Executor;

/**
 * A task that the engine hands to an executor of a user. If the executor throws, or runs the task in the thread that hands
 * it over, which may be one of the engine, a thread for callbacks takes it. Thread-safe; allocates nothing per call.
 */
final class Handover
{
    /** Set while the thread hands a task over. */
    private static final ThreadLocal<Boolean> HANDING_OVER = new ThreadLocal<>();

    private final Executor executor;
    private final Runnable task;
    private final Runnable guarded = this::runElsewhere;

    Handover(final Executor executor, final Runnable task)
    {
        this.executor = executor;
        this.task = task;
    }

    void handOver()
    {
        HANDING_OVER.set(Boolean.TRUE);
        try
        {
            executor.execute(guarded);
        }
        catch (final RuntimeException e)
        {
            // An executor that was shut down must not keep the end of a request from its client.
            CallbackThreads.EXECUTOR.execute(task);
        }
        finally
        {
            HANDING_OVER.set(null);
        }
    }

    private void runElsewhere()
    {
        if (HANDING_OVER.get() == null)
        {
            task.run();
        }
        else
        {
            CallbackThreads.EXECUTOR.execute(task);
        }
    }
}
