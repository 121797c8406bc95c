// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.workload.DurationText;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;

/** The length of the intervals of a table over time. */
public final class IntervalOption
{
    private static final double LEAST_SECONDS = 1e-9;
    private static final long DEFAULT_NANOS = 10_000_000_000L;

    @Option(names = "--every", paramLabel = "TIME", converter = Converter.class,
        description = "List a row per interval of this length, such as 10s, 500ms or 2.5 seconds (default: 10s).")
    private Long nanos;

    public long nanos()
    {
        return nanos == null ? DEFAULT_NANOS : nanos;
    }

    /** Reads a duration with a unit, or a number of seconds. */
    static final class Converter implements ITypeConverter<Long>
    {
        @Override
        public Long convert(final String value)
        {
            final long nanos = DurationText.nanos(value);
            if (nanos != DurationText.MALFORMED)
            {
                return nanos;
            }
            final double seconds = new NumberConverter.Real().convert(value);
            if (!(seconds >= LEAST_SECONDS && seconds <= WindowOptions.MOST_SECONDS))
            {
                throw new ConfigException("--every=" + seconds + " is no interval of 1e-9 to 9e9 seconds; give one.");
            }
            return WindowOptions.nanos("--every", seconds);
        }
    }
}
