// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import java.util.concurrent.atomic.AtomicLong;

/** Logs failed steps: a backend that fails each step must not fill the log. Thread-safe. */
final class StepFailureLog
{
    private static final long PAUSE_NANOS = 1_000_000_000L;
    private static final System.Logger LOGGER = System.getLogger("io.signalbox.engine");
    private static final AtomicLong NEXT_NANOS = new AtomicLong(System.nanoTime());
    private static final AtomicLong LEFT_OUT = new AtomicLong();

    private StepFailureLog()
    {
    }

    static void log(final Completion.StepFailure failure)
    {
        final long now = System.nanoTime();
        final long next = NEXT_NANOS.get();
        if (now - next < 0 || !NEXT_NANOS.compareAndSet(next, now + PAUSE_NANOS))
        {
            LEFT_OUT.incrementAndGet();
            return;
        }
        final long leftOut = LEFT_OUT.getAndSet(0);
        LOGGER.log(System.Logger.Level.WARNING, "step " + failure.step() + " of rank " + failure.rank() + " failed: " +
            failure.sentence() + (leftOut == 0 ? "" : " (" + leftOut + " failed steps before it were not logged)"));
    }
}
