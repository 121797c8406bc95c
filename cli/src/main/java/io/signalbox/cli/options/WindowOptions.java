// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.inspect.TimeWindow;
import picocli.CommandLine.Option;

import java.nio.file.Path;

/** A part of a journal's time. */
public final class WindowOptions
{
    private static final double NANOS_PER_SECOND = 1e9;
    static final double MOST_SECONDS = 9e9;

    @Option(names = "--from", paramLabel = "TIME", converter = JournalTime.Converter.class,
        description = "Begin at this time: logical seconds or, of an engine's journal, a time of day in UTC such as 10:04.")
    private JournalTime from;

    @Option(names = "--to", paramLabel = "TIME", converter = JournalTime.Converter.class,
        description = "End before this time.")
    private JournalTime to;

    /** Whether only a part of the time is asked for. */
    public boolean isGiven()
    {
        return from != null || to != null;
    }

    /** @throws ConfigException if no time is in it. */
    public TimeWindow window(final Path journal)
    {
        final long begin = from == null ? Long.MIN_VALUE : from.nanos("--from", journal, false);
        final long end = to == null ? Long.MAX_VALUE : to.nanos("--to", journal, true);
        if (begin >= end)
        {
            throw new ConfigException("--from=" + from + " is not before --to=" + to + "; correct one of them.");
        }
        return new TimeWindow(begin, end);
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
