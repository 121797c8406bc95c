// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.router.RouterException;
import org.opentest4j.AssertionFailedError;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Calls code that is not trusted: in another thread, for a bounded time. Whatever it does becomes one sentence of a failed
 * test. A thread that does not return is interrupted and left behind; it does not keep the JVM alive.
 */
final class Bounded
{
    private static final int SHOWN_FRAMES = 3;

    private Bounded()
    {
    }

    /** Work that returns nothing. */
    interface Work
    {
        void run() throws Exception;
    }

    static void run(final String subject, final String doing, final Duration limit, final Work work)
    {
        call(subject, doing, limit, () ->
        {
            work.run();
            return null;
        });
    }

    /**
     * @param subject the object under test, in words that begin a sentence.
     * @param doing   the call, in words that follow "while".
     */
    static <T> T call(final String subject, final String doing, final Duration limit, final Callable<T> work)
    {
        final FutureTask<T> task = new FutureTask<>(work);
        final Thread thread = new Thread(task, "signalbox-testkit");
        thread.setDaemon(true);
        thread.start();
        try
        {
            return task.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        }
        catch (final TimeoutException e)
        {
            final String place = place(thread);
            thread.interrupt();
            throw new AssertionFailedError(subject + " did not return within " + limit.toMillis() + " ms while " + doing +
                "; its thread is in " + place + ".");
        }
        catch (final InterruptedException e)
        {
            thread.interrupt();
            Thread.currentThread().interrupt();
            throw new AssertionFailedError("the test was interrupted while " + doing + ".", e);
        }
        catch (final ExecutionException e)
        {
            throw failure(subject, doing, e.getCause());
        }
    }

    private static AssertionError failure(final String subject, final String doing, final Throwable cause)
    {
        if (cause instanceof AssertionError failed)
        {
            return failed;
        }
        if (cause instanceof RouterException broken)
        {
            return new AssertionFailedError(subject + " " + broken.fault() + ".", broken);
        }
        return new AssertionFailedError(subject + " threw " + cause + " while " + doing + ".", cause);
    }

    private static String place(final Thread thread)
    {
        final StackTraceElement[] frames = thread.getStackTrace();
        final StringBuilder place = new StringBuilder();
        for (int i = 0; i < Math.min(SHOWN_FRAMES, frames.length); i++)
        {
            place.append(i == 0 ? "" : ", called by ").append(frames[i].getClassName()).append('.')
                .append(frames[i].getMethodName()).append(':').append(frames[i].getLineNumber());
        }
        return place.length() == 0 ? "no method" : place.toString();
    }
}
