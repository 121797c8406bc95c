// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** The threads that wait for a request, its listeners and its subscribers. Thread-safe; {@link #tell} waits for none. */
final class Audience
{
    private static final Follower[] NOBODY = {};

    /** Guarded by this object for writing. */
    private volatile Follower[] followers = NOBODY;
    /** Threads that wait on this object. */
    private volatile int waiting;

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
        if (waiting > 0)
        {
            synchronized (this)
            {
                notifyAll();
            }
        }
        for (final Follower follower : followers)
        {
            follower.signal();
        }
    }

    /** Waits up to the timeout until the news has come. */
    synchronized void await(final BooleanSupplier news, final long timeoutNanos) throws InterruptedException
    {
        final long start = System.nanoTime();
        // Announced before the look, and the thread that has news looks for waiters after it was published.
        waiting++;
        try
        {
            long left = timeoutNanos;
            while (!news.getAsBoolean() && left > 0)
            {
                wait(left / 1_000_000, (int)(left % 1_000_000));
                left = timeoutNanos - (System.nanoTime() - start);
            }
        }
        finally
        {
            waiting--;
        }
    }
}
