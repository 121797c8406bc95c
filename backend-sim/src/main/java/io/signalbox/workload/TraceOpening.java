// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.ConfigException;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * How a trace is read.
 *
 * @param format      {@code null}: by the first line.
 * @param timeUnit    s, ms, us or ns; {@code null}: that of the format.
 * @param tokensPerId tokens that each hash id stands for; 0: as the format or the lengths say.
 */
public record TraceOpening(TraceFormat format, String timeUnit, int tokensPerId)
{
    public static final TraceOpening AUTO = new TraceOpening(null, null, 0);
    public static final String UNITS = "s, ms, us or ns";
    private static final int MOST_TOKENS_PER_ID = 1 << 16;
    private static final Map<String, Double> NANOS = Map.of("s", 1e9, "ms", 1e6, "us", 1e3, "ns", 1.0);

    public TraceOpening
    {
        if (timeUnit != null && !NANOS.containsKey(timeUnit))
        {
            throw ConfigException.of("trace-time-unit", timeUnit, UNITS, "give the unit of the file's timestamps");
        }
        if (tokensPerId < 0 || tokensPerId > MOST_TOKENS_PER_ID)
        {
            throw ConfigException.of("trace-tokens-per-id", Integer.toString(tokensPerId), "between 1 and " +
                MOST_TOKENS_PER_ID, "give the tokens that each hash id stands for");
        }
    }

    /** The format of a file. */
    public TraceFormat formatOf(final Path file)
    {
        return format == null ? TraceFormat.of(file) : format;
    }

    /** Nanoseconds of the unit; NaN if the unit is not given. */
    double givenNanos()
    {
        return timeUnit == null ? Double.NaN : NANOS.get(timeUnit);
    }

    /**
     * Reads any format but plays of agents.
     *
     * @throws ConfigException that names the file and its fault, what the file looks like, and the formats.
     */
    public Workload read(final Path file)
    {
        final TraceFormat chosen = formatOf(file);
        final boolean isPlain = timeUnit == null && tokensPerId == 0;
        return switch (chosen)
        {
            case AGENT -> throw new IllegalArgumentException("plays of agents have a schedule");
            case REQUESTS -> isPlain && JsonLines.firstLineHas(file, "arrival_ns") ? RequestTrace.read(file) :
                listed(file, chosen, new ListedJsonReader(file, chosen).read());
            case MOONCAKE -> isPlain && !ListedJsonReader.hasFractions(file) ? MooncakeTrace.read(file) :
                listed(file, chosen, new ListedJsonReader(file, chosen).read());
            case AZURE, BURSTGPT -> listed(file, chosen, new ListedCsvReader(file, chosen).read());
            case SHAREGPT, VLLM_BENCH -> listed(file, chosen, new ListedDocumentReader(file, chosen).read());
            default -> listed(file, chosen, new ListedJsonReader(file, chosen).read());
        };
    }

    private Workload listed(final Path file, final TraceFormat chosen, final List<ListedRequest> listed)
    {
        if (listed.isEmpty())
        {
            throw chosen.misread(file, "has no request");
        }
        return new ListedWorkload(file, chosen, this, listed).workload();
    }
}
