// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** Runs calls of the driver on a separate thread and waits for them up to a limit. */
public final class BoundedCall
{
    private BoundedCall()
    {
    }

    /** As {@link #get}, for calls without a result. */
    public static void run(final String what, final long limitNanos, final Runnable call)
    {
        get(what, limitNanos, () ->
        {
            call.run();
            return null;
        });
    }

    /**
     * Returns the call's result or throws what it threw. The call runs on a new daemon thread, to which no context is
     * current.
     *
     * @param what the subject of a sentence, such as {@code the section overhead}.
     * @throws DeviceStuckException if the call has not returned in time; its thread is left to {@link StuckThreads}.
     */
    public static <T> T get(final String what, final long limitNanos, final Supplier<T> call)
    {
        final AtomicReference<T> result = new AtomicReference<>();
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        final Thread thread = new Thread(() -> attempt(call, result, failure), "signalbox-" + what.replace(' ', '-'));
        thread.setDaemon(true);
        thread.start();
        if (!join(thread, limitNanos))
        {
            final String place = StuckThreads.place(thread);
            StuckThreads.add(thread);
            throw new DeviceStuckException(
                what + " did not end within " + StreamWait.seconds(limitNanos) + "; its thread is in " + place);
        }
        rethrow(failure.get());
        return result.get();
    }

    private static <T> void attempt(
        final Supplier<T> call, final AtomicReference<T> result, final AtomicReference<Throwable> failure)
    {
        try
        {
            result.set(call.get());
        }
        // Errors too: the caller must see what ended its call, a missing symbol of the driver among them.
        catch (final Throwable e)
        {
            failure.set(e);
        }
    }

    /** Whether the thread has ended in time. An interrupt does not shorten the wait, and is kept for the caller. */
    public static boolean join(final Thread thread, final long limitNanos)
    {
        final long deadline = System.nanoTime() + limitNanos;
        boolean interrupted = false;
        long left = limitNanos;
        while (thread.isAlive() && left > 0)
        {
            try
            {
                TimeUnit.NANOSECONDS.timedJoin(thread, Math.max(left, 1_000_000));
            }
            catch (final InterruptedException e)
            {
                interrupted = true;
            }
            left = deadline - System.nanoTime();
        }
        if (interrupted)
        {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }

    private static void rethrow(final Throwable failure)
    {
        if (failure instanceof Error)
        {
            throw (Error)failure;
        }
        if (failure != null)
        {
            throw (RuntimeException)failure;
        }
    }
}
