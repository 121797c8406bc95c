// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.ring;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A task that the engine hands to an executor of a user. If the executor throws, or runs the task in the thread that hands
 * it over, which may be one of the engine, a thread for callbacks takes it. It runs once per call, also if the executor runs
 * it twice, or throws after it took it. Thread-safe; allocates nothing per call.
 */
public final class Handover
{
    /** Set while the thread hands a task over. */
    private static final ThreadLocal<Boolean> HANDING_OVER = new ThreadLocal<>();

    private final Executor executor;
    private final Runnable task;
    private final Runnable guarded = this::runElsewhere;
    private final Runnable once = this::runOnce;
    /** Handed over, and not begun. */
    private final AtomicBoolean pending = new AtomicBoolean();

    public Handover(final Executor executor, final Runnable task)
    {
        this.executor = executor;
        this.task = task;
    }

    public void handOver()
    {
        pending.set(true);
        // An executor may hand over within a hand-over.
        final Boolean outer = HANDING_OVER.get();
        HANDING_OVER.set(Boolean.TRUE);
        try
        {
            executor.execute(guarded);
        }
        catch (final VirtualMachineError e)
        {
            throw e;
        }
        catch (final RuntimeException | Error e)
        {
            // An executor that was shut down must not keep the end of a request from its client.
            CallbackThreads.EXECUTOR.execute(once);
        }
        finally
        {
            HANDING_OVER.set(outer);
        }
    }

    /** Takes a task back that was handed over and has not begun; false: it has. */
    public boolean withdraw()
    {
        return pending.compareAndSet(true, false);
    }

    private void runElsewhere()
    {
        if (HANDING_OVER.get() == null)
        {
            runOnce();
        }
        else
        {
            CallbackThreads.EXECUTOR.execute(once);
        }
    }

    private void runOnce()
    {
        if (pending.compareAndSet(true, false))
        {
            task.run();
        }
    }
}
