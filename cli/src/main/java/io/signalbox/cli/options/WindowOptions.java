// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.journal.inspect.TimeWindow;
import picocli.CommandLine.Option;

/** A part of a journal's logical time. */
public class WindowOptions
{
    private static final double NANOS_PER_SECOND = 1e9;
    static final double MOST_SECONDS = 9e9;

    @Option(names = "--from", paramLabel = "SECONDS", description = "Begin at this logical time.")
    private Double fromSeconds;

    @Option(names = "--to", paramLabel = "SECONDS", description = "End before this logical time.")
    private Double toSeconds;

    final boolean hasFrom()
    {
        return fromSeconds != null;
    }

    final boolean hasTo()
    {
        return toSeconds != null;
    }

    /** @throws ConfigException if no time is in it. */
    public final TimeWindow window()
    {
        final long from = fromSeconds == null ? Long.MIN_VALUE : nanos("--from", fromSeconds);
        final long to = toSeconds == null ? Long.MAX_VALUE : nanos("--to", toSeconds);
        if (from >= to)
        {
            throw new ConfigException(
                "--from=" + fromSeconds + " is not before --to=" + toSeconds + "; correct one of them.");
        }
        return new TimeWindow(from, to);
    }

    static long nanos(final String option, final double seconds)
    {
        if (!(Math.abs(seconds) <= MOST_SECONDS))
        {
            throw new ConfigException(option + "=" + seconds + " is not between -9e9 and 9e9 seconds.");
        }
        return Math.round(seconds * NANOS_PER_SECOND);
    }
}
