// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.stats;

import io.signalbox.scheduler.Scheduler;

/** Figures that ask the scheduler instead of reading events. */
final class BadFigures
{
    private BadFigures()
    {
    }

    static long inputsIgnored(final Scheduler scheduler)
    {
        return scheduler.ignoredCompletions();
    }
}
