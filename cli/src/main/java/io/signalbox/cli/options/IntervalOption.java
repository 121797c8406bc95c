// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import picocli.CommandLine.Option;

/** The length of the intervals of a table over time. */
public final class IntervalOption
{
    private static final double LEAST_SECONDS = 1e-9;
    private static final long DEFAULT_NANOS = 10_000_000_000L;

    @Option(names = "--every", paramLabel = "SECONDS",
        description = "List a row per interval of this length (default: 10.0).")
    private Double seconds;

    /** @throws ConfigException if it is not between 1e-9 and 9e9 seconds. */
    public long nanos()
    {
        if (seconds != null && !(seconds >= LEAST_SECONDS && seconds <= WindowOptions.MOST_SECONDS))
        {
            throw new ConfigException("--every=" + seconds + " is no interval of 1e-9 to 9e9 seconds; give one.");
        }
        return seconds == null ? DEFAULT_NANOS : WindowOptions.nanos("--every", seconds);
    }
}
