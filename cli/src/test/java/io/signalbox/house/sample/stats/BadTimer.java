// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.stats;

import io.micrometer.core.instrument.Timer;

import java.util.concurrent.TimeUnit;

/** Figures that depend on a library that most users do not have. */
final class BadTimer
{
    private BadTimer()
    {
    }

    static void record(final Timer timer, final long nanos)
    {
        timer.record(nanos, TimeUnit.NANOSECONDS);
    }
}
