// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench.latency;

import org.HdrHistogram.Histogram;

import java.util.Arrays;
import java.util.Locale;

/**
 * Times of the stages of one request that is alone in the engine. Each stamp is written by the thread of its stage; the rings
 * and the handle order them before the reader.
 */
final class StageTimes
{
    private static final long MAX_NANOS = 10_000_000_000L;

    /** The moments in the life of a request, in their order; the text names the way from the moment before. */
    enum Stage
    {
        INTENDED(""),
        SUBMITTING("the sender is late"),
        SUBMITTED("submit: prompt hashed, encoded, published to the ingress ring"),
        JOURNAL_HAS_SUBMIT("scheduler woken, Submit decided, journal woken"),
        SCHEDULE_APPENDED("Submit appended; Wake decided; Schedule appended"),
        DISPATCHED("dispatch reads the plan, the backend has it"),
        REPORTED("the backend answers and reports Forward"),
        JOURNAL_HAS_RESULT("D2hComplete reported, both decided, Forward appended"),
        RESULT_DURABLE("Commit appended, and synced if the level says so"),
        VISIBLE("the token is in the handle"),
        RECEIVED("the thread that waits for it runs");

        private final String way;

        Stage(final String way)
        {
            this.way = way;
        }
    }

    private static final int STAGES = Stage.values().length;

    private final long[] stamps = new long[STAGES];
    private final Histogram[] ways = new Histogram[STAGES];

    StageTimes()
    {
        Arrays.setAll(ways, stage -> new Histogram(MAX_NANOS, 3));
    }

    void begin(final long intendedNanos)
    {
        Arrays.fill(stamps, 0);
        stamps[0] = intendedNanos;
    }

    /** The last stamp of a stage counts. */
    void stamp(final Stage stage)
    {
        stamps[stage.ordinal()] = System.nanoTime();
    }

    /**
     * Counts the request; one that took another way through the groups is left out. A thread that passed something on may
     * stamp later than the thread that has it by then: its stage ends no later than the next one.
     */
    void end()
    {
        for (int stage = STAGES - 2; stage >= 0; stage--)
        {
            if (stamps[stage] == 0 || stamps[stage + 1] == 0)
            {
                return;
            }
            stamps[stage] = Math.min(stamps[stage], stamps[stage + 1]);
        }
        for (int stage = 1; stage < STAGES; stage++)
        {
            ways[stage].recordValue(Math.min(MAX_NANOS, stamps[stage] - stamps[stage - 1]));
        }
    }

    void clear()
    {
        Arrays.stream(ways).forEach(Histogram::reset);
    }

    /** One line of a Markdown table per stage: median and p99 in µs. */
    String table(final String title)
    {
        final StringBuilder table = new StringBuilder(String.format(Locale.ROOT,
            "| %s | p50 µs | p99 µs |%n| --- | --- | --- |%n", title));
        double sum = 0;
        for (final Stage stage : Stage.values())
        {
            if (stage != Stage.INTENDED)
            {
                final Histogram way = ways[stage.ordinal()];
                sum += way.getValueAtPercentile(50) / 1e3;
                table.append(String.format(Locale.ROOT, "| %s | %.1f | %.1f |%n", stage.way,
                    way.getValueAtPercentile(50) / 1e3, way.getValueAtPercentile(99) / 1e3));
            }
        }
        return table.append(String.format(Locale.ROOT, "| sum of the medians, of %d requests | %.1f | |%n",
            ways[1].getTotalCount(), sum)).toString();
    }
}
