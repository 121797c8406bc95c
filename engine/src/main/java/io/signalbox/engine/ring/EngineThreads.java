// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.ring;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The threads of one engine. They are started by one thread; any thread may ask. */
public final class EngineThreads
{
    private final List<Thread> threads = new CopyOnWriteArrayList<>();

    public void start(final String name, final Runnable work)
    {
        final Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        // First: a thread that runs is always known.
        threads.add(thread);
        thread.start();
    }

    /** Whether the current thread is one of them. */
    public boolean isCurrent()
    {
        return threads.contains(Thread.currentThread());
    }

    /** Waits until all have ended, also if it is interrupted. Returns false if one had not ended in time. */
    public boolean awaitEnd(final long timeoutNanos)
    {
        final long deadline = Nanos.sum(System.nanoTime(), timeoutNanos);
        boolean ended = true;
        boolean interrupted = false;
        for (final Thread thread : threads)
        {
            interrupted |= join(thread, deadline);
            ended &= !thread.isAlive();
        }
        if (interrupted)
        {
            Thread.currentThread().interrupt();
        }
        return ended;
    }

    /** Waits until the thread ends or the moment comes. Returns whether the wait was interrupted. */
    public static boolean join(final Thread thread, final long deadlineNanos)
    {
        boolean interrupted = false;
        while (thread.isAlive() && System.nanoTime() < deadlineNanos)
        {
            try
            {
                thread.join(Math.max(1, (deadlineNanos - System.nanoTime()) / 1_000_000));
            }
            catch (final InterruptedException e)
            {
                // Continues to wait, up to the bound: the thread must not use the parts that are closed next.
                interrupted = true;
            }
        }
        return interrupted;
    }
}
