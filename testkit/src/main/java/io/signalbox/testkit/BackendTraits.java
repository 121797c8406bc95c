// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.engine.step.ReportTimes;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Traits of a backend that its capabilities do not declare, for a run of the contract.
 *
 * @param clock of its reports; {@code null}: times of its own.
 */
record BackendTraits(int vocabularySize, boolean failsSteps, Duration patience, LongSupplier clock)
{
    static final LongSupplier SYSTEM_CLOCK = System::nanoTime;

    /** The times that an engine takes which begins now; {@code null}: any. */
    ReportTimes reportTimes()
    {
        return clock == null ? null : ReportTimes.of(clock, clock == SYSTEM_CLOCK, 0);
    }
}
