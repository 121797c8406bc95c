// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * The threads that wait for a request, and its listeners. Thread-safe; {@link #tell} waits for none, and
 * takes no lock that a woken thread would have to wait for.
 */
final class Audience
{
    private static final Follower[] NOBODY = {};
    private static final Thread[] NO_THREAD = {};

    /** Guarded by this object for writing. */
    private volatile Follower[] followers = NOBODY;
    /** Threads that wait. Guarded by this object for writing. */
    private volatile Thread[] waiting = NO_THREAD;

    synchronized void add(final Follower follower)
    {
        final List<Follower> all = new ArrayList<>(List.of(followers));
        all.add(follower);
        followers = all.toArray(NOBODY);
    }

    synchronized void remove(final Follower follower)
    {
        final List<Follower> all = new ArrayList<>(List.of(followers));
        all.remove(follower);
        followers = all.toArray(NOBODY);
    }

    /** There is news, which was published before the call. */
    void tell()
    {
        wake();
        for (final Follower follower : followers)
        {
            follower.signal();
        }
    }

    /** As {@link #tell}, for waiting threads; does not run foreign code. */
    void wake()
    {
        for (final Thread thread : waiting)
        {
            LockSupport.unpark(thread);
        }
    }

    /** Waits up to the timeout until the news has come. */
    void await(final BooleanSupplier news, final long timeoutNanos) throws InterruptedException
    {
        final long start = System.nanoTime();
        // Announced before the look, and the thread that has news looks for waiters after it was published.
        announce();
        try
        {
            long left = timeoutNanos;
            while (!news.getAsBoolean() && left > 0)
            {
                if (Thread.interrupted())
                {
                    throw new InterruptedException("interrupted while waiting for a request");
                }
                LockSupport.parkNanos(this, left);
                left = timeoutNanos - (System.nanoTime() - start);
            }
        }
        finally
        {
            withdraw();
        }
    }

    private synchronized void announce()
    {
        final List<Thread> all = new ArrayList<>(List.of(waiting));
        all.add(Thread.currentThread());
        waiting = all.toArray(NO_THREAD);
    }

    private synchronized void withdraw()
    {
        final List<Thread> all = new ArrayList<>(List.of(waiting));
        all.remove(Thread.currentThread());
        waiting = all.toArray(NO_THREAD);
    }
}
