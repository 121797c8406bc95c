// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import java.util.function.LongSupplier;

/** Nanoseconds since the run began; what happens before, such as loading a model, is no part of its times. */
final class RunClock implements LongSupplier
{
    private volatile long originNanos = System.nanoTime();

    /** Begins again at 0; before anybody reads the clock. */
    void start()
    {
        originNanos = System.nanoTime();
    }

    @Override
    public long getAsLong()
    {
        return System.nanoTime() - originNanos;
    }
}
