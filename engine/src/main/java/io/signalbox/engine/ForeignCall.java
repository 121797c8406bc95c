// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.engine.ring.EngineThreads;
import io.signalbox.engine.ring.Nanos;
import org.agrona.LangUtil;

import java.util.concurrent.atomic.AtomicReference;

/**
 * Calls foreign code with a time limit, such as the close of a backend: in a separate thread. If the call does not return
 * within the limit, the thread is interrupted and left. The thread does not keep the JVM alive. One thread ends an engine,
 * so there is one call at a time; any thread may ask whether it runs the call.
 */
public final class ForeignCall
{
    private static final String THREAD = "signalbox-close";

    private final String remedy;
    private volatile Thread current;

    /** @param remedy how a user gives a call more time, such as "give a larger closeTimeout". */
    public ForeignCall(final String remedy)
    {
        this.remedy = remedy;
    }

    /** Of an engine. */
    static ForeignCall ofEngine()
    {
        return new ForeignCall("end the process, or give a larger closeTimeout");
    }

    /** Whether the current thread runs the call. */
    boolean isCurrent()
    {
        return current == Thread.currentThread();
    }

    /**
     * Throws what the call throws. An interrupt of the calling thread does not shorten the wait and is kept.
     *
     * @param what the subject and verb of a sentence, such as "the backend toy was not closed".
     * @throws IllegalStateException if the call has not returned in time.
     */
    public void run(final String what, final long limitNanos, final Runnable call)
    {
        final AtomicReference<Throwable> thrown = new AtomicReference<>();
        final Thread thread = new Thread(() -> attempt(call, thrown), THREAD);
        thread.setDaemon(true);
        current = thread;
        try
        {
            thread.start();
        }
        catch (final OutOfMemoryError e)
        {
            // The system has no thread left: make the call here, without a limit.
            call.run();
            return;
        }
        if (EngineThreads.join(thread, Nanos.sum(System.nanoTime(), limitNanos)))
        {
            Thread.currentThread().interrupt();
        }
        if (thread.isAlive())
        {
            final String place = place(thread);
            thread.interrupt();
            throw new IllegalStateException(
                what + " within " + Nanos.text(limitNanos) + "; its thread " + place + " and is left running; " + remedy);
        }
        if (thrown.get() != null)
        {
            LangUtil.rethrowUnchecked(thrown.get());
        }
    }

    private static void attempt(final Runnable call, final AtomicReference<Throwable> thrown)
    {
        try
        {
            call.run();
        }
        // This may be a checked exception that the call does not declare, for example from Kotlin code.
        catch (final Throwable e)
        {
            thrown.set(e);
        }
    }

    private static String place(final Thread thread)
    {
        final StackTraceElement[] frames = thread.getStackTrace();
        return frames.length == 0 ? "is about to end" :
            "is in " + frames[0].getClassName() + "." + frames[0].getMethodName();
    }
}
