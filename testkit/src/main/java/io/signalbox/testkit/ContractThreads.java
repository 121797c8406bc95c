// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/** Threads that appeared during a test. */
final class ContractThreads
{
    private static final long NANOS_PER_MILLI = 1_000_000;

    private ContractThreads()
    {
    }

    /** Waits a while for the threads that were not there before, so that a last report of theirs is seen. */
    static void awaitEndOfOthers(final Collection<Thread> before, final long millis) throws InterruptedException
    {
        final long end = System.nanoTime() + millis * NANOS_PER_MILLI;
        final Set<Thread> others = new HashSet<>(Thread.getAllStackTraces().keySet());
        others.removeAll(before);
        others.remove(Thread.currentThread());
        for (final Thread thread : others)
        {
            final long left = (end - System.nanoTime()) / NANOS_PER_MILLI;
            if (left > 0)
            {
                thread.join(left);
            }
        }
    }
}
