// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.ring;

import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads of callbacks for which a user gives no executor. A callback that blocks keeps its thread only: the next one
 * gets an idle thread or a new one. Idle threads end.
 */
public final class CallbackThreads
{
    /** Shared by all engines of the process. */
    public static final Executor EXECUTOR = create();
    private static final long IDLE_SECONDS = 10;

    private CallbackThreads()
    {
    }

    private static Executor create()
    {
        final AtomicInteger count = new AtomicInteger();
        return new ThreadPoolExecutor(0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), work ->
        {
            final Thread thread = new Thread(work, "signalbox-callback-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
    }
}
