// SPDX-License-Identifier: Apache-2.0
package io.signalbox.report;

import io.signalbox.JsonName;

/**
 * How long a run took on this machine; differs from run to run and is no part of {@link RunReport}.
 *
 * @param wallNanos         duration of the run on this machine, with its journal, without verifying
 * @param requestsPerSecond submitted requests per second of that duration
 * @param stepsPerSecond    steps per second of that duration
 * @param simulatedOverWall simulated time over that duration
 */
public record WallClock(
    @JsonName("seconds") long wallNanos, double requestsPerSecond, double stepsPerSecond, double simulatedOverWall)
{
    private static final double NANOS_PER_SECOND = 1e9;

    public static WallClock of(final RunReport report, final long wallNanos)
    {
        final double seconds = Math.max(1, wallNanos) / NANOS_PER_SECOND;
        return new WallClock(
            wallNanos,
            report.requests().submitted() / seconds,
            report.steps().steps() / seconds,
            report.simulatedNanos() / NANOS_PER_SECOND / seconds);
    }
}
